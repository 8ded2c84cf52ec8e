import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { ACP_MESSAGE_MAX_BYTES, ACP_REQUESTS_MAX } from "../../../src/schemas/defaults/Acp.ts"
import { MAIN } from "../../support/built.ts"
import { folder } from "./client.ts"
import { isFull } from "../../support/full.ts"

interface Frame {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string }
}

/** Modules have names of their own here. */
const SOURCES = fileURLToPath(new URL("../../../src/programs/main.ts", import.meta.url))

/** Without a library at the other end: every line as it is. */
const wireWith = Effect.fnUntraced(function* (
  program: ReadonlyArray<string> = [MAIN],
  env: Record<string, string> = {}
) {
  const home = yield* folder
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...program, "acp", "--log-level", "all"], {
        cwd: home,
        env: { PATH: process.env["PATH"], HOME: home, MCP_LIVE_HOME: home, ...env },
        stdio: ["pipe", "pipe", "ignore"]
      })
    ),
    (started) => Effect.sync(() => void started.kill("SIGKILL"))
  )
  // What it does not read any more.
  child.stdin.on("error", () => {})
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  return {
    child,
    lines,
    write: (line: string) => void child.stdin.write(`${line}\n`),
    send: (id: unknown, method: string, params?: unknown) =>
      void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`),
    answer: (id: unknown) =>
      Effect.callback<Frame>((resume) => {
        const look = () => {
          for (const line of lines) {
            const frame = JSON.parse(line) as Frame
            if (frame.id === id) return resume(Effect.succeed(frame))
          }
        }
        waiting.add(look)
        look()
      }),
    /** Done when so many lines have come. */
    received: (count: number) =>
      Effect.callback<void>((resume) => {
        const look = () => {
          if (lines.length >= count) resume(Effect.void)
        }
        waiting.add(look)
        look()
      }),
    exited: new Promise<number | null>((resolve) => child.once("close", resolve)),
    ended: () => {
      const exited = new Promise<number | null>((resolve) => child.once("close", resolve))
      child.stdin.end()
      return exited
    }
  }
})

const wire = wireWith()

const FLOOD = 20_000

describe("the wire of an editor", () => {
  it.live("carries only frames, and survives malformed ones", () =>
    Effect.gen(function* () {
      const { answer, ended, lines, send, write } = yield* wire
      for (const garbage of ["not json", "{", "[]", "null", '"x"', "{}", '{"jsonrpc":"2.0"}', ""]) write(garbage)
      send(1, "initialize", { protocolVersion: 99, clientCapabilities: {} })
      assert.strictEqual((yield* answer(1)).result?.["protocolVersion"], 1)
      send(2, "no/such/method", {})
      assert.strictEqual((yield* answer(2)).error?.code, -32601)
      send(3, "session/new", { cwd: tmpdir() })
      const { sessionId } = (yield* answer(3)).result as { sessionId: string }
      send(4, "session/prompt", { sessionId, prompt: "not a list" })
      assert.strictEqual((yield* answer(4)).error?.code, -32602)
      send(5, "session/prompt", { sessionId, prompt: [{ type: "text", text: "/status" }] })
      assert.deepStrictEqual((yield* answer(5)).result, { stopReason: "end_turn" })
      for (const [id, method] of [
        [6, "session/new"],
        [7, "session/load"]
      ] as const) {
        for (const params of [undefined, null, [], "x", 1]) send(`${id}-${String(params)}`, method, params)
        assert.strictEqual((yield* answer(`${id}-1`)).error?.code, -32602)
      }
      // One that is not there any more, as the client's library cannot tell it.
      send(8, "session/delete", { sessionId: "nobody" })
      assert.strictEqual((yield* answer(8)).error?.code, -32002)
      // What another process had open, as a process is asked that was started for that alone.
      send(9, "session/close", { sessionId: "nobody" })
      assert.deepStrictEqual((yield* answer(9)).result, {})
      assert.strictEqual(yield* Effect.promise(ended), 0)
      for (const line of lines) assert.strictEqual((JSON.parse(line) as Frame).jsonrpc, "2.0")
    })
  )

  it.live("refuses everything before it was greeted, and is greeted twice without harm", () =>
    Effect.gen(function* () {
      const { answer, send } = yield* wire
      send(0, "session/new", { cwd: tmpdir(), mcpServers: [] })
      assert.isDefined((yield* answer(0)).error)
      send(1, "initialize", { protocolVersion: 1 })
      send(2, "initialize", { protocolVersion: 0 })
      assert.deepStrictEqual((yield* answer(1)).result, (yield* answer(2)).result)
      send(3, "session/new", { cwd: tmpdir(), mcpServers: [] })
      assert.isString((yield* answer(3)).result?.["sessionId"])
    })
  )

  it.live("answers a frame that is too large, and goes on", () =>
    Effect.gen(function* () {
      const { answer, ended, send } = yield* wire
      send(1, "initialize", { protocolVersion: 1 })
      send(2, "session/prompt", { prompt: "x".repeat(ACP_MESSAGE_MAX_BYTES) })
      assert.strictEqual((yield* answer(2)).error?.code, -32600)
      send(3, "session/list", {})
      assert.isDefined((yield* answer(3)).result)
      assert.strictEqual(yield* Effect.promise(ended), 0)
    })
  )

  it.live.runIf(isFull)(
    "in a flood of requests: answers each once, some perhaps with being busy, and ends at a signal",
    () =>
      Effect.gen(function* () {
        const { child, exited, lines, received, send, write } = yield* wire
        send(0, "initialize", { protocolVersion: 1 })
        // At once: whoever writes one by one may be slower than who answers.
        const frames = Array.from({ length: FLOOD - 1 }, (_, at) =>
          JSON.stringify({ jsonrpc: "2.0", id: at + 1, method: "session/list", params: {} })
        )
        write(frames.join("\n"))
        yield* received(FLOOD)
        const answers = lines.map((line) => JSON.parse(line) as Frame)
        assert.lengthOf(new Set(answers.map(({ id }) => id)), FLOOD)
        // How many depends on who is faster; test/programs/acp/connection.test.ts has the limit itself.
        const busy = answers.filter(({ error }) => error !== undefined)
        assert.isAtLeast(FLOOD - busy.length, ACP_REQUESTS_MAX)
        for (const { error } of busy) assert.match(error!.message, /^Busy/)
        for (let id = 0; id < FLOOD; id++) send(`again-${id}`, "session/list", {})
        child.kill("SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => exited), 0)
      })
  )

  it.live("loads no code for sessions before the client's initialize", () =>
    Effect.gen(function* () {
      const trace = join(yield* folder, "loaded")
      const hook = `import { registerHooks } from "node:module"
        import { appendFileSync } from "node:fs"
        registerHooks({ load: (url, context, next) => (appendFileSync(process.env.TRACE, url + "\\n"), next(url, context)) })`
      const { ended } = yield* wireWith(["--import", `data:text/javascript,${encodeURIComponent(hook)}`, SOURCES], {
        TRACE: trace
      })
      assert.strictEqual(yield* Effect.promise(ended), 0)
      const loaded = readFileSync(trace, "utf8").split("\n")
      assert.isTrue(loaded.some((url) => url.endsWith("/programs/acp/connection.ts")))
      const heavy = loaded.filter((url) =>
        /\/src\/layers\/|@modelcontextprotocol|\/acp\/(sessions|agent)\.ts/.test(url)
      )
      assert.deepStrictEqual(heavy, [])
    })
  )
})
