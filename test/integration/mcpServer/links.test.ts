/** An answer of 50 MB reaches the clients of both SDKs whole, by links whose pieces fit their lines, and nobody else. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ORDER_ANSWER_MAX_BYTES, ORDER_RESULT_MAX_BYTES } from "../../../src/schemas/defaults/Orders.ts"
import { largeFile } from "../../fixtures/largeFile.ts"
import { inFixtures } from "../../fixtures/servers.ts"
import { connected, ERAS, type TestClient } from "../../support/mcpClients.ts"
import { provider } from "../../support/modelProvider.ts"
import { memoryOf } from "./largest.ts"
import { folder, launch, model, ORDER, type Result } from "./program.ts"

const ADA = "a-token-of-ada-123"
const BOB = "a-token-of-bob-123"
const MEBIBYTE = 1024 * 1024
const LINE_MAX_BYTES = 10 * MEBIBYTE
const FILES = ["a.pdf", "b.pdf", "c.pdf", "d.pdf"]
const FILE_BYTES = 10.5 * MEBIBYTE
/** More than for the media of an order: each file comes through its server's line and the store of results, and V8 collects late. */
const MEMORY_MAX_BYTES = 512 * MEBIBYTE
const PIECE = "Zwölf 😀 Boxkämpfer jagen\nViktor. \u0007".repeat(1_500)
const TEXT = Array.from({ length: 120 }, (_, index) => `${index} ${PIECE}`)
const MEDIA_BYTES = FILES.length * FILE_BYTES
const BYTES = MEDIA_BYTES + Buffer.byteLength(TEXT.join(""))

const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")
const DIGESTS = FILES.map((name) => digest(largeFile(name, FILE_BYTES)))

interface LinkedPart {
  readonly name: string
  readonly mimeType: string
  readonly bytes: number
  readonly uris: ReadonlyArray<string>
}

interface Contents {
  readonly contents: ReadonlyArray<{ readonly uri: string; readonly text?: string; readonly blob?: string }>
}

const started = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const calls = FILES.map((name, index) => ({
    id: `c${index}`,
    name: "mcp_large_give",
    args: JSON.stringify({ name, bytes: FILE_BYTES })
  }))
  const behind = yield* provider({ text: ["Hello."] }, ...calls.map((call) => ({ calls: [call] })), { text: TEXT })
  const servers = { large: { command: process.execPath, args: [inFixtures("largeMedia.ts")] } }
  return yield* launch({
    args,
    config: { ...model(behind.baseUrl), mcp: { servers } },
    node: ["--max-old-space-size=512"]
  })
})

const overHttp = Effect.gen(function* () {
  const clients = join(yield* folder, "clients")
  writeFileSync(clients, `ada ${ADA}\nbob ${BOB}\n`, { mode: 0o600 })
  const program = yield* started(["--http", "0", "--clients", clients])
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program.command, [...program.args], { cwd: program.cwd, env: { ...program.env } })),
    (running) => Effect.sync(() => void running.kill("SIGKILL"))
  )
  child.stderr.on("data", (chunk: Buffer) => program.onStderr?.(chunk.toString()))
  const [, url = ""] = yield* program.logged(/listening at (http\S+)/)
  return { url, pid: child.pid! }
})

const place = (client: TestClient, message: string) =>
  Effect.promise(
    () => client.request("tools/call", { name: ORDER, arguments: { message } }) as unknown as Promise<Result>
  )

const read = (client: TestClient, uri: string) =>
  Effect.promise(() => client.request("resources/read", { uri }) as unknown as Promise<Contents>)

interface Refusal {
  readonly code: number
  readonly message: string
  readonly data?: { readonly uri: string }
}

/** Of "resource not found" the SDK makes the code that the latest revision has for it. */
const NOT_FOUND = [-32002, -32602]

const checkRefused = Effect.fnUntraced(function* (client: TestClient, ...uris: ReadonlyArray<string>) {
  for (const uri of uris) {
    const refusal = yield* Effect.promise(() =>
      client.request("resources/read", { uri }).then(
        () => undefined,
        (error: unknown) => error as Refusal
      )
    )
    assert.include(NOT_FOUND, refusal?.code)
    assert.include(refusal?.message, "Resource not found")
    assert.strictEqual(refusal?.data?.uri, uri)
  }
})

/** All that a part's addresses give, one after the other. */
const whole = Effect.fnUntraced(function* (client: TestClient, { uris }: LinkedPart) {
  const pieces: Array<Buffer> = []
  for (const uri of uris) {
    const answer = yield* read(client, uri)
    assert.isBelow(Buffer.byteLength(JSON.stringify(answer)), LINE_MAX_BYTES)
    assert.deepStrictEqual(
      answer.contents.map((one) => one.uri),
      [uri]
    )
    const { blob = "", text } = answer.contents[0]!
    pieces.push(text === undefined ? Buffer.from(blob, "base64") : Buffer.from(text))
  }
  return Buffer.concat(pieces)
})

/** The whole answer is there, though its result is one that every client takes. */
const checkAnswer = Effect.fnUntraced(function* (client: TestClient, result: Result) {
  assert.isFalse(result.isError)
  assert.isAtMost(Buffer.byteLength(JSON.stringify(result)), ORDER_RESULT_MAX_BYTES)
  const linked = (result.structuredContent?.["linked"] ?? []) as ReadonlyArray<LinkedPart>
  const links = result.content.filter(({ type }) => type === "resource_link")
  assert.deepStrictEqual(
    links.map((link) => Reflect.get(link, "uri") as string),
    linked.flatMap(({ uris }) => uris)
  )
  for (const link of links) assert.hasAllKeys(link, ["type", "uri", "name", "mimeType", "size"])
  const sizes = links.map((link) => Reflect.get(link, "size") as number)
  assert.strictEqual(
    sizes.reduce((sum, size) => sum + size, 0),
    BYTES
  )
  const words = linked.filter(({ mimeType }) => mimeType === "text/plain")
  const files = linked.filter(({ mimeType }) => mimeType === "application/pdf")
  assert.deepStrictEqual([words.length, files.length], [1, FILES.length])
  assert.isTrue((yield* whole(client, words[0]!)).toString() === TEXT.join(""))
  for (const [index, file] of files.entries()) {
    const bytes = yield* whole(client, file)
    assert.deepStrictEqual([file.name, file.bytes, digest(bytes)], [FILES[index], FILE_BYTES, DIGESTS[index]])
  }
  // A model reads words: they begin as the answer does, and say where the rest is.
  const said = result.content.find(({ text = "" }) => text.startsWith(TEXT[0]!.slice(0, 1000)))
  assert.include(said?.text, `${words[0]!.uris[0]} to ${words[0]!.uris.at(-1)}`)
  assert.include(result.structuredContent?.text, words[0]!.uris[0]!)
  return linked
})

const NOWHERE = `mcp-live://order/${"x".repeat(32)}/1/1`

describe.each(ERAS)("an answer of 50 MB for a client of %s", (era) => {
  it.live("over stdio comes as links, and nothing of it is lost", () =>
    Effect.gen(function* () {
      assert.isAtMost(BYTES, ORDER_ANSWER_MAX_BYTES)
      assert.isAtLeast(BYTES, 0.97 * ORDER_ANSWER_MAX_BYTES)
      const client = yield* connected(era, yield* started([]))
      assert.strictEqual((yield* place(client, "hi")).content[0]?.text, "Hello.")
      yield* checkAnswer(client, yield* place(client, "all of it"))
      yield* checkRefused(client, NOWHERE, "file:///etc/passwd")
    })
  )

  it.live("over HTTP does so in little memory, and is no other client's", () =>
    Effect.gen(function* () {
      const { pid, url } = yield* overHttp
      const ada = yield* connected(era, { url, token: ADA })
      const bob = yield* connected(era, { url, token: BOB })
      assert.strictEqual((yield* place(ada, "hi")).content[0]?.text, "Hello.")
      const idle = process.platform === "linux" ? memoryOf(pid).now : 0
      const linked = yield* checkAnswer(ada, yield* place(ada, "all of it"))
      if (process.platform === "linux") {
        assert.isBelow(memoryOf(pid).most - idle, MEMORY_MAX_BYTES)
      }
      yield* checkRefused(bob, linked[0]!.uris[0]!, linked.at(-1)!.uris.at(-1)!, NOWHERE)
      const again = yield* connected(era, { url, token: ADA })
      assert.lengthOf((yield* read(again, linked[0]!.uris[0]!)).contents, 1)
    })
  )
})
