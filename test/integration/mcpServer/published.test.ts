/** `order_openclaw` as it was published: its definition key by key, and what its results look like when they are errors. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { inFixtures } from "../../fixtures/servers.ts"
import { heardText } from "../../support/heardText.ts"
import { base64, FILES, IMAGES, PDF, PNG, sized } from "../../support/media.ts"
import { connected, type TestClient } from "../../support/mcpClients.ts"
import { provider } from "../../support/modelProvider.ts"
import { MAIN } from "../../support/built.ts"
import { folder, launch, model, ORDER, type Result } from "./program.ts"

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

const answering = Effect.gen(function* () {
  const behind = yield* provider()
  return { behind, client: yield* connected("2025-11-25", yield* launch({ config: model(behind.baseUrl) })) }
})

const scope = Scope.makeUnsafe()
/** One program without a model and one with one, for all of these tests. */
let shared: Effect.Success<typeof opened> & { readonly withModel: Effect.Success<typeof answering> }

beforeAll(async () => {
  const both = Effect.all([opened, answering], { concurrency: 2 })
  const [without, withModel] = await Effect.runPromise(Scope.provide(both, scope))
  shared = { ...without, withModel }
})

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** The model gives these answers from now on. */
const answers = (...texts: ReadonlyArray<string>) => {
  const { behind, client } = shared.withModel
  behind.reply(...texts.map((text) => ({ text: [text] })))
  const before = behind.requests.length
  return { client, requests: () => behind.requests.slice(before) }
}

describe("order_openclaw", () => {
  it.live("has the published definition, key by key", () =>
    Effect.gen(function* () {
      const { client } = shared
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
      const { order } = shared
      const result = yield* order("hello")
      assert.isTrue(result.isError)
      assert.match(result.content[0]!.text ?? "", /^Error: No model is configured/)
      assert.match(result.structuredContent!.text, /^Error: No model is configured/)
      assert.strictEqual(result.structuredContent!["ended"], "failed")
    })
  )

  it.live("a failed command is an error, a successful one is not", () =>
    Effect.gen(function* () {
      const { order } = shared
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

/** As the documentation of the tool lists them. */
const IMAGE_TYPES = "image/jpeg image/png image/gif image/webp"
const FILE_TYPES = `application/pdf text/plain text/markdown text/html text/csv application/json
  audio/mpeg audio/wav audio/ogg audio/mp4 audio/aac audio/flac audio/opus
  video/mp4 video/webm video/quicktime video/x-msvideo
  application/zip application/gzip application/x-tar application/x-compressed-tar`
const MEDIUM_MAX_BYTES = 15 * 1024 * 1024

const place = (client: TestClient, args: Record<string, unknown>) =>
  Effect.promise(() => client.request("tools/call", { name: ORDER, arguments: args }) as unknown as Promise<Result>)

describe("the published examples", () => {
  it.live("one sessionKey is one conversation; without one each order has its own", () =>
    Effect.gen(function* () {
      const { client, requests } = answers("I will.", "Blue.", "I do not know.")
      const sessionKey = "user-123-conversation"
      const first = yield* place(client, { message: "Remember that my favorite color is blue.", sessionKey })
      assert.deepStrictEqual([first.content, first.isError], [[{ type: "text", text: "I will." }], false])
      yield* place(client, { message: "What's my favorite color?", sessionKey })
      const alone = yield* place(client, { message: "What's my favorite color?" })
      assert.match(alone.structuredContent!.sessionKey, /^mcp-\d+-[0-9a-z]+$/)
      const asked = requests().map(({ messages }) => JSON.stringify(messages).includes("color is blue"))
      assert.deepStrictEqual(asked, [true, true, false])
    }).pipe(Effect.scoped)
  )

  it.live("an image and a document reach the model", () =>
    Effect.gen(function* () {
      const { client, requests } = answers("A dot.", "A report.")
      const images = [{ data: base64(PNG), mimeType: "image/png" }]
      yield* place(client, { message: "What do you see in this image?", images })
      const files = [{ data: base64(PDF), mimeType: "application/pdf", filename: "report.pdf" }]
      yield* place(client, { message: "Summarize this document", files })
      const [image, document] = requests().map(({ messages }) => JSON.stringify(messages.at(-1)))
      assert.include(image, base64(PNG))
      assert.include(document, base64(PDF))
      assert.include(document, "report.pdf")
    }).pipe(Effect.scoped)
  )

  it.live("every type is taken; ten images, five files and 15 MB are the limits", () =>
    Effect.gen(function* () {
      const { client } = answers("Seen.")
      const order = (media: Record<string, unknown>) => place(client, { message: "look", ...media })
      const items = (types: string, from: Readonly<Record<string, Buffer>>) =>
        types.split(/\s+/).map((mimeType) => ({ mimeType, data: base64(from[mimeType]!) }))
      const [images, files] = [items(IMAGE_TYPES, IMAGES), items(FILE_TYPES, FILES)]
      assert.isFalse((yield* order({ images })).isError)
      for (let at = 0; at < files.length; at += 5) {
        const result = yield* order({ files: files.slice(at, at + 5) })
        assert.isFalse(result.isError, result.content[0]!.text)
      }
      const [image, file] = [images[1]!, files[0]!]
      assert.isFalse((yield* order({ images: Array.from({ length: 10 }, () => image) })).isError)
      assert.isFalse((yield* order({ files: [{ ...file, data: base64(sized(PDF, MEDIUM_MAX_BYTES)) }] })).isError)
      for (const media of [
        { images: [{ ...image, mimeType: "image/tiff" }] },
        { files: [{ ...file, mimeType: "application/x-msdownload" }] }
      ]) {
        const result = yield* order(media)
        assert.isTrue(result.isError)
        assert.match(result.content[0]!.text!, /^Error: /)
      }
      // What is too much is refused while it arrives.
      for (const [media, words] of [
        [{ images: Array.from({ length: 11 }, () => image) }, /McpError.* more than 10 images/],
        [{ files: Array.from({ length: 6 }, () => file) }, /McpError.* more than 5 files/],
        [{ files: [{ ...file, data: base64(sized(PDF, MEDIUM_MAX_BYTES + 3)) }] }, /McpError.*15 MB/]
      ] as const) {
        const args = { name: ORDER, arguments: { message: "look", ...media } }
        const refused = yield* Effect.promise(() => client.request("tools/call", args).catch(String))
        assert.match(JSON.stringify(refused), words)
      }
    }).pipe(Effect.scoped)
  )

  it.live("the entries of a client's file start it, where a program of that name is this one", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const program = join(place, "openclaw")
      writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 })
      const { env } = yield* launch()
      for (const entry of [
        { command: "openclaw", args: ["mcp-server"] },
        { command: "openclaw", args: ["mcp-server", "--verbose"] },
        { command: program, args: ["mcp-server"] }
      ]) {
        const log = heardText()
        const started = {
          ...entry,
          cwd: place,
          env: { ...env, PATH: `${place}${delimiter}${process.env["PATH"]}` },
          onStderr: log.hear
        }
        const client = yield* connected("2025-11-25", started)
        const { tools } = (yield* Effect.promise(() => client.request("tools/list", {}))) as unknown as {
          readonly tools: ReadonlyArray<{ readonly name: string }>
        }
        assert.include(
          tools.map(({ name }) => name),
          ORDER
        )
        yield* Effect.promise(() => client.request("tools/call", { name: ORDER, arguments: { message: "/help" } }))
        if (entry.args.includes("--verbose")) yield* log.logged(/received/)
        yield* Effect.promise(() => client.close())
        assert.strictEqual(log.text().includes("received"), entry.args.includes("--verbose"))
      }
    }).pipe(Effect.scoped)
  )
})
