/** Orders to a real OpenClaw gateway: the program, an MCP client, attachments there and media back. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { inject } from "vitest"
import { folder, launch, ORDER, type Result } from "../integration/mcpServer/program.ts"
import { base64, FILES, PDF, PNG, sized } from "../support/media.ts"
import { connected, type TestClient } from "../support/mcpClients.ts"

const real = inject("openclaw")

const place = (client: TestClient, args: Record<string, unknown>) =>
  Effect.promise(() => client.request("tools/call", { name: ORDER, arguments: args }) as unknown as Promise<Result>)

const begin = Effect.gen(function* () {
  const tokenFile = join(yield* folder, "token")
  writeFileSync(tokenFile, real!.token, { mode: 0o600 })
  const program = yield* launch({ args: ["--gateway", real!.url, "--token-file", tokenFile] })
  return yield* connected("2025-11-25", program)
})

const INSPECTOR = fileURLToPath(
  new URL(
    "../interop/clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
    import.meta.url
  )
)

const many = <A>(length: number, one: A) => Array.from({ length }, () => one)
const textOf = ({ content }: Result) => content.map(({ text }) => text ?? "").join("\n")

describe.skipIf(real === undefined)("orders to an OpenClaw gateway", () => {
  it.live("are answered, and go on in their session", () =>
    Effect.gen(function* () {
      const client = yield* begin
      const first = yield* place(client, { message: "hello" })
      assert.isFalse(first.isError, textOf(first))
      assert.match(textOf(first), /^ECHO 0 0: .*hello/)
      const { sessionKey } = first.structuredContent!
      assert.match(textOf(yield* place(client, { message: "again", sessionKey })), /^ECHO 1 0: .*again/)
      assert.match(textOf(yield* place(client, { message: "new" })), /^ECHO 0 0: .*new/)
    })
  )

  it.live("bring images and files of every sort along", () =>
    Effect.gen(function* () {
      const client = yield* begin
      const seen = yield* place(client, {
        message: "look",
        images: [{ data: base64(PNG), mimeType: "image/png" }],
        files: [
          { data: base64(Buffer.from("a text that is inside")), mimeType: "text/plain", filename: "a.txt" },
          { data: base64(FILES["application/zip"]!), mimeType: "application/zip" },
          { data: base64(PDF), mimeType: "application/pdf" }
        ]
      })
      assert.isFalse(seen.isError, textOf(seen))
      assert.match(textOf(seen), /^ECHO 0 1: /)
      assert.include(textOf(seen), "a text that is inside")
    })
  )

  it.live("get back the files that the agent gives", () =>
    Effect.gen(function* () {
      const client = yield* begin
      writeFileSync(join(real!.workspace, "pic.png"), PNG)
      writeFileSync(join(real!.workspace, "report.txt"), "a report\n")
      const media = ["pic.png", "report.txt"].map((name) => `MEDIA:${join(real!.workspace, name)}`).join("\\n")
      const given = yield* place(client, { message: `SAY Here they are\\n${media}` })
      assert.deepStrictEqual(given.content, [
        { type: "text", text: "Here they are" },
        { type: "image", data: base64(PNG), mimeType: "image/png" },
        {
          type: "resource",
          resource: { uri: "attachment://report.txt", mimeType: "text/plain", blob: base64(Buffer.from("a report\n")) }
        }
      ])
      // Those of another answer are none of this one.
      const { sessionKey } = given.structuredContent!
      assert.lengthOf((yield* place(client, { message: "SAY done", sessionKey })).content, 1)
    })
  )

  it.live("are refused with the number where the gateway takes less", () =>
    Effect.gen(function* () {
      const client = yield* begin
      const image = { data: base64(sized(PNG, 7 * 1024 * 1024)), mimeType: "image/png", filename: "big.png" }
      const refused = yield* place(client, { message: "look", images: [image] })
      assert.strictEqual(
        textOf(refused),
        'Error: the image "big.png" has 7.0 MiB, and the OpenClaw gateway takes 6.0 MiB'
      )
      const five = { data: base64(sized(PNG, 5 * 1024 * 1024)), mimeType: "image/png" }
      const all = yield* place(client, { message: "look", images: many(5, five) })
      assert.match(
        textOf(all),
        /^Error: the message and its 5 attachments are 33\.3 MiB as they are sent, .* 25\.0 MiB/
      )
    })
  )

  it.live("are placed by the inspector, too", () =>
    Effect.gen(function* () {
      const tokenFile = join(yield* folder, "token")
      writeFileSync(tokenFile, real!.token, { mode: 0o600 })
      const { args, command, cwd, env } = yield* launch({ args: ["--gateway", real!.url, "--token-file", tokenFile] })
      const call = ["--method", "tools/call", "--tool-name", ORDER, "--tool-arg", "message=hello"]
      const { stderr, stdout } = yield* Effect.promise(() =>
        promisify(execFile)(process.execPath, [INSPECTOR, "--cli", command, ...args, ...call], { cwd, env: { ...env } })
      )
      assert.match(textOf(JSON.parse(stdout) as Result), /^ECHO 0 0: .*hello/, stderr)
    })
  )

  it.live("that are taken back are aborted at the gateway", () =>
    Effect.gen(function* () {
      const client = yield* begin
      const controller = new AbortController()
      const slow = client
        .call(
          ORDER,
          { message: "SLOW", sessionKey: "k" },
          {
            signal: controller.signal,
            onprogress: (one) => {
              if (JSON.stringify(one).includes("Writing")) controller.abort()
            }
          }
        )
        .catch(() => "taken back")
      assert.strictEqual(yield* Effect.promise(() => slow), "taken back")
      assert.match(textOf(yield* place(client, { message: "next", sessionKey: "k" })), /next/)
    })
  )
})
