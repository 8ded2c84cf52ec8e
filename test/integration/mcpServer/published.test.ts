/** `order_openclaw` as it was published: its definition key by key, and what its results look like when they are errors. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inFixtures } from "../../fixtures/servers.ts"
import { connected } from "../../support/mcpClients.ts"
import { launch, ORDER, type Result } from "./program.ts"

const item = (one: string, example: string) => ({
  type: "object",
  properties: {
    data: { type: "string", description: `Base64-encoded ${one} data` },
    mimeType: { type: "string", description: `MIME type (e.g., '${example}')` },
    filename: { type: "string", description: "Optional filename" }
  },
  required: ["data", "mimeType"]
})

const PUBLISHED = {
  name: "order_openclaw",
  description:
    "Send a message to OpenClaw and receive a response. The message will be processed as if typed by a user. Supports sending images, files (PDF, text, markdown, CSV, JSON), audio, video, and archives (ZIP, TAR.GZ) via base64 encoding.",
  inputSchema: {
    type: "object",
    properties: {
      message: { type: "string", description: "The message to send to OpenClaw" },
      sessionKey: { type: "string", description: "Optional session key for conversation continuity" },
      images: {
        type: "array",
        description: "Optional base64-encoded images (max 10, 15MB each)",
        items: item("image", "image/png")
      },
      files: {
        type: "array",
        description: "Optional base64-encoded files (max 5, 15MB each)",
        items: item("file", "application/pdf")
      }
    },
    required: ["message"]
  }
}

const shell = { mcpServers: { shell: { command: process.execPath, args: [inFixtures("shell.ts")] } } }

const opened = Effect.gen(function* () {
  const client = yield* connected("2025-11-25", yield* launch({ config: shell }))
  const order = (message: string) =>
    Effect.promise(
      () => client.request("tools/call", { name: ORDER, arguments: { message } }) as unknown as Promise<Result>
    )
  return { client, order }
})

describe("order_openclaw", () => {
  it.live("has the published definition, key by key", () =>
    Effect.gen(function* () {
      const { client } = yield* opened
      const { tools } = (yield* Effect.promise(() => client.request("tools/list", {}))) as unknown as {
        readonly tools: ReadonlyArray<Record<string, unknown>>
      }
      const found = tools.find(({ name }) => name === ORDER)!
      assert.strictEqual(found["description"], PUBLISHED.description)
      const { inputSchema } = found as unknown as typeof PUBLISHED
      assert.strictEqual(inputSchema.type, "object")
      assert.deepStrictEqual(inputSchema.required, PUBLISHED.inputSchema.required)
      assert.deepStrictEqual(Object.keys(inputSchema.properties), Object.keys(PUBLISHED.inputSchema.properties))
      for (const key of ["message", "sessionKey", "images", "files"] as const) {
        assert.deepStrictEqual(inputSchema.properties[key] as object, PUBLISHED.inputSchema.properties[key], key)
      }
    })
  )

  it.live("without a model says so as an error", () =>
    Effect.gen(function* () {
      const { order } = yield* opened
      const result = yield* order("hello")
      assert.isTrue(result.isError)
      assert.match(result.content[0]!.text ?? "", /^Error: No model is configured/)
      assert.match(result.structuredContent!.text, /^Error: No model is configured/)
      assert.strictEqual(result.structuredContent!["ended"], "failed")
    })
  )

  it.live("a command that fails is an error, and one that does not is none", () =>
    Effect.gen(function* () {
      const { order } = yield* opened
      const failing = [
        "/nothing",
        "/call",
        "/call no_such_tool",
        "/call mcp_shell_echo {bad",
        "/read x://y",
        "/reset none"
      ]
      for (const message of failing) {
        const result = yield* order(message)
        assert.isTrue(result.isError, message)
        assert.match(result.content[0]!.text ?? "", /^Error: /, message)
      }
      for (const message of ["/help", "/tools", "/call mcp_shell_echo text=here", "/context"]) {
        const result = yield* order(message)
        assert.isFalse(result.isError, message)
        assert.notMatch(result.content[0]!.text ?? "", /^Error: /, message)
        assert.strictEqual(result.structuredContent!["ended"], "stop")
      }
    })
  )
})
