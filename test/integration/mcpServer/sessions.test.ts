/** `mcp-live sessions`: what is kept of real orders, beside files that are broken. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { chmodSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runHere } from "../../e2e/here.ts"
import { connected } from "../../support/mcpClients.ts"
import { provider } from "../../support/modelProvider.ts"
import { MAIN } from "../../support/built.ts"
import { folder, launch, model, ORDER } from "./program.ts"

const SECRET_WORDS = "nobody but the two of us"

interface Listed {
  readonly sessions: ReadonlyArray<{
    readonly session: string
    readonly lastUsed: string
    readonly agent: string
    readonly client: string
    readonly messages: number
    readonly bytes: number
  }>
  readonly broken: ReadonlyArray<{ readonly file: string; readonly reason: string }>
}

const environment = (home: string) => ({ PATH: process.env["PATH"] ?? "", HOME: home, MCP_LIVE_HOME: home })

const sessions = (home: string, ...args: ReadonlyArray<string>) =>
  runHere(["sessions", ...args], { env: environment(home) })

/** Without a terminal, as a program of its own. */
const sessionsOf = (home: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resume) => {
    const child = spawn(process.execPath, [MAIN, "sessions", ...args], {
      env: environment(home),
      stdio: ["ignore", "pipe", "pipe"]
    })
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
    child.once("close", (code) => resume(Effect.succeed({ code, stdout, stderr })))
  })

const placed = Effect.gen(function* () {
  const behind = yield* provider({ text: ["Yes."] })
  const program = yield* launch({ config: model(behind.baseUrl) })
  yield* Effect.scoped(
    Effect.flatMap(connected("2025-11-25", program), (client) =>
      Effect.forEach(["a", "a", "b"], (sessionKey) =>
        Effect.promise(() =>
          client.request("tools/call", { name: ORDER, arguments: { message: SECRET_WORDS, sessionKey } })
        )
      )
    )
  )
  return program.home
})

describe("mcp-live sessions", () => {
  it.live("says that there are no conversations, also without a directory", () =>
    Effect.gen(function* () {
      const home = join(yield* folder, "none")
      const none = { code: 0, stdout: "No conversations are stored.\n", stderr: "" }
      assert.deepStrictEqual(yield* sessionsOf(home), none)
      const { stdout } = yield* sessions(home, "--json")
      assert.deepStrictEqual(JSON.parse(stdout), { sessions: [], broken: [] })
    })
  )

  it.live("lists conversations of orders with time, client, agent, length and size, but never their content", () =>
    Effect.gen(function* () {
      const home = yield* placed
      const { code, stderr, stdout } = yield* sessions(home, "--json")
      assert.deepStrictEqual([code, stderr], [0, ""])
      const { broken, sessions: rows } = JSON.parse(stdout) as Listed
      assert.deepStrictEqual(broken, [])
      assert.deepStrictEqual(
        rows.map(({ agent, client, messages }) => [agent, client, messages]),
        [
          ["main", "test", 1],
          ["main", "test", 2]
        ]
      )
      const files = join(home, "orders", "conversations")
      const sizes = readdirSync(files)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => readFileSync(join(files, name)).length)
      assert.sameMembers(
        rows.map(({ bytes }) => bytes),
        sizes
      )
      for (const { lastUsed } of rows) assert.isAbove(Date.parse(lastUsed), Date.now() - 3_600_000)
      const table = (yield* sessions(home)).stdout
      assert.lengthOf(table.trimEnd().split("\n"), 3)
      assert.match(table, /^LAST USED +AGENT +CLIENT +MESSAGES +SIZE +SESSION\n/)
      assert.notInclude(stdout + table, SECRET_WORDS)
    })
  )

  it.live("names broken conversations, and lists the others", () =>
    Effect.gen(function* () {
      const home = yield* placed
      const files = join(home, "orders", "conversations")
      const [first = "", second = ""] = readdirSync(files).filter((name) => name.endsWith(".jsonl"))
      renameSync(join(files, first), join(files, `${"0".repeat(32)}.jsonl`))
      writeFileSync(join(files, `${"1".repeat(32)}.jsonl`), "{ no conversation", { mode: 0o600 })
      writeFileSync(join(files, `${"2".repeat(32)}.jsonl`), "", { mode: 0o600 })
      const { code, stderr, stdout } = yield* sessions(home, "--json")
      const { broken, sessions: rows } = JSON.parse(stdout) as Listed
      assert.strictEqual(code, 0)
      assert.lengthOf(rows, 1)
      assert.deepStrictEqual(
        broken.map(({ file, reason }) => [file.slice(-38, -6).slice(0, 1), reason]),
        [
          ["0", "it has the name of another conversation"],
          ["1", "its first line is not that of a conversation"],
          ["2", "its first line is not that of a conversation"]
        ]
      )
      for (const { file } of broken) assert.include(stderr, `mcp-live: ${file} is left out`)
      chmodSync(join(files, second), 0o622)
      const text = yield* sessions(home)
      assert.include(text.stdout, "No conversations are stored.")
      assert.include(text.stderr, "is writable by others")
    })
  )
})
