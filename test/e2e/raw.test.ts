/** `mcp-live call --raw`: what a server sent, and nothing of ours, for a pipe, a file and a person. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { inFixtures } from "../fixtures/servers.ts"
import { runHere } from "./here.ts"
import { configFile, PLAIN, run } from "./program.ts"
import { hasTerminals, onTerminal, program } from "./terminal.ts"

const bird = (more: object = {}) => ({ command: process.execPath, args: [inFixtures("parrot.ts")], ...more })

const config = configFile({
  mcp: {
    servers: { bird: bird(), coded: bird({ contentMode: "encode" }), small: bird({ budget: { bytes: 300 } }) }
  }
})

const text = (words: string) => ({ type: "text", text: words })
/** Not valid UTF-8, so that a text of it would be another one. */
const BYTES = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff, 0xfe, 0x00, 0x01])
const IMAGE = { type: "image", mimeType: "image/png", data: BYTES.toString("base64") }

const giving = (result: object, server = "bird") => ["call", `${server}/give`, "--args", JSON.stringify({ result })]

/** What a file gets that stdout goes to. */
const bytesOf = (args: ReadonlyArray<string>) =>
  Effect.promise(
    () =>
      new Promise<{ readonly code: number; readonly stdout: Buffer }>((resolve) => {
        const child = execFile(
          process.execPath,
          [program, ...args],
          { encoding: "buffer", env: { ...process.env, ...PLAIN } },
          (_, stdout) => resolve({ code: child.exitCode ?? -1, stdout })
        )
      })
  )

describe("mcp-live call --raw", () => {
  it.live("prints the server's text alone, where a call without it prints boundaries", () =>
    Effect.gen(function* () {
      const file = yield* config
      const answer = { content: [text("one\n two"), text("three")] }
      const raw = yield* run([...giving(answer), "--raw", "--config", file])
      assert.deepStrictEqual([raw.code, raw.stdout], [0, "one\n two\nthree\n"])
      const usual = yield* runHere([...giving(answer), "--config", file])
      assert.match(usual.stdout, /^<<<EXTERNAL_UNTRUSTED_CONTENT/)
    }).pipe(Effect.scoped)
  )

  it.live("prints it whole, and as it was sent, whatever a model would get of it", () =>
    Effect.gen(function* () {
      const file = yield* config
      const long = "words ".repeat(2_000).trim()
      const cut = yield* runHere([...giving({ content: [text(long)] }, "small"), "--config", file])
      assert.notInclude(cut.stdout, long)
      const whole = yield* runHere([...giving({ content: [text(long)] }, "small"), "--raw", "--config", file])
      assert.strictEqual(whole.stdout, `${long}\n`)
      const coded = yield* runHere([...giving({ content: [text("plain words")] }, "coded"), "--config", file])
      assert.notInclude(coded.stdout, "plain words")
      const plain = yield* runHere([...giving({ content: [text("plain words")] }, "coded"), "--raw", "--config", file])
      assert.strictEqual(plain.stdout, "plain words\n")
    }).pipe(Effect.scoped)
  )

  it.live("prints the words of a failure, and exits 1", () =>
    Effect.gen(function* () {
      const file = yield* config
      const { code, stdout } = yield* runHere([
        ...giving({ content: [text("disk full")], isError: true }),
        "--raw",
        "--config",
        file
      ])
      assert.strictEqual(code, 1)
      assert.include(stdout, "disk full")
      assert.notInclude(stdout, "EXTERNAL_UNTRUSTED")
    }).pipe(Effect.scoped)
  )

  it.live("gives a pipe or a file the bytes of a single image, and nothing else", () =>
    Effect.gen(function* () {
      const file = yield* config
      const { code, stdout } = yield* bytesOf([...giving({ content: [IMAGE] }), "--raw", "--config", file])
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(stdout, BYTES)
      const both = yield* bytesOf([...giving({ content: [text("see"), IMAGE] }), "--raw", "--config", file])
      assert.strictEqual(both.stdout.toString(), "see\n[image/png, 12 B]\n")
    }).pipe(Effect.scoped)
  )

  it.live("is still cleaned of what moves a cursor", () =>
    Effect.gen(function* () {
      const file = yield* config
      const answer = { content: [text("a\u001b[2Jb\u202ec")] }
      const { stdout } = yield* runHere([...giving(answer), "--raw", "--config", file])
      assert.notMatch(stdout, /[\u001b\u202e]/)
      assert.match(stdout, /^a.*b.*c\n$/)
    }).pipe(Effect.scoped)
  )
})

describe.skipIf(!hasTerminals)("mcp-live call --raw on a terminal", () => {
  it.live("prints the text between no lines, and an image as a line about it", () =>
    Effect.gen(function* () {
      const file = yield* config
      const word = yield* onTerminal("call", "bird/note", "text=hello", "--raw", "--config", file)
      yield* word.until(/hello\r\n/)
      assert.notMatch(word.shown(), /says ──|── end|EXTERNAL_UNTRUSTED/)
      // The shell of the terminal reads the words of a command.
      const given = `'${JSON.stringify({ result: { content: [IMAGE] } })}'`
      const picture = yield* onTerminal("call", "bird/give", "--args", given, "--raw", "--config", file)
      yield* picture.until(/\[image\/png, 12 B\]\r\n/)
      assert.notInclude(picture.shown(), "PNG\r\n")
    }).pipe(Effect.scoped)
  )
})
