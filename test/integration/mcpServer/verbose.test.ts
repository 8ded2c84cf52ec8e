/** `--verbose` of real programs: each phase of an order, and of a message to `start`, is on stderr, and no value is. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { inFixtures } from "../../fixtures/servers.ts"
import { connected, ERAS } from "../../support/mcpClients.ts"
import { provider, type Reply } from "../../support/modelProvider.ts"
import { base64, FILES } from "../../support/media.ts"
import { MAIN } from "../../support/built.ts"
import { folder, launch, model, ORDER } from "./program.ts"

const CANARY = "canary-9f3Kq"
const REPLIES: ReadonlyArray<Reply> = [
  {
    said: [`I say ${CANARY}.`],
    calls: [
      { id: `id-${CANARY}`, name: "mcp_media_write_note", args: JSON.stringify({ text: CANARY }) },
      { id: "two", name: "no_such_tool", args: JSON.stringify({ [CANARY]: 1 }) }
    ]
  },
  { text: [`The answer is ${CANARY}.`] }
]

const servers = { media: { command: process.execPath, args: [inFixtures("media.ts")] } }

const SECOND = (name: string) => new RegExp(`${name} \\+\\S+ s: model asked \\(step 2\\)`)

/** In this order, each on a line of its own. */
const PHASES = (name: string) => [
  new RegExp(`${name} \\+\\d+\\.\\d{3} s: model asked \\(step 1\\)`),
  new RegExp(`${name} \\+\\S+ s: writes`),
  new RegExp(`${name} \\+\\S+ s: call \\d \\(mcp_media_write_note\\) begins: 1 argument, \\d+ B`),
  new RegExp(
    `${name} \\+\\S+ s: call \\d \\(mcp_media_write_note\\) of media/write_note ok after \\S+ s: 1 block, \\d+ B`
  ),
  new RegExp(`${name} \\+\\S+ s: wrote \\d+ B of text`),
  new RegExp(`${name} \\+\\S+ s: ended \\(stop\\) with 2 calls`)
]

const checkPhases = (log: string, phases: ReadonlyArray<RegExp>) => {
  let from = 0
  for (const phase of phases) {
    const found = phase.exec(log.slice(from))
    assert.isNotNull(found, `${phase} in:\n${log}`)
    from += found?.index ?? 0
  }
}

describe("--verbose", () => {
  it.live.each(ERAS)("says what becomes of each order of a client of %s, and never what it was", (era) =>
    Effect.gen(function* () {
      const behind = yield* provider(...REPLIES)
      const program = yield* launch({ args: ["--verbose"], config: { ...model(behind.baseUrl), mcp: { servers } } })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const client = yield* connected(era, program)
          const files = [{ data: base64(FILES["text/csv"]!), mimeType: "text/csv", filename: `${CANARY}.csv` }]
          const args = { message: `Do ${CANARY}`, sessionKey: CANARY, files }
          const said = yield* Effect.promise(() => client.call(ORDER, args))
          assert.include(said, CANARY)
          yield* Effect.promise(() => client.call("order_history", { sessionKey: CANARY }))
          const uri = `mcp-live://order/${"x".repeat(32)}/1/1`
          yield* Effect.promise(() => client.request("resources/read", { uri }).catch(() => {}))
          yield* program.logged(/read by/)
        })
      )
      const log = program.log()
      const id = /order [0-9a-f]{8}/.exec(log)?.[0] ?? "order"
      checkPhases(log, [
        new RegExp(`${id} \\+\\S+ s: received from test`),
        new RegExp(
          `${id} \\+\\S+ s: taken from test for agent main, session order-[0-9a-f]{8}: message of 15 B, 1 attachment of \\d+ B`
        ),
        new RegExp(`${id} \\+\\S+ s: begins in session order-[0-9a-f]{8}`),
        ...PHASES(id),
        new RegExp(`${id}: session order-\\S+, 15 characters, 1 attachments -> 2 parts, stop, \\d+ ms`),
        new RegExp(`${id} \\+\\S+ s: answered: 2 parts of \\d+ characters`),
        /order_history [0-9a-f]{8} \+\S+ s: answered: 1 part/,
        /piece \+\S+ s: read by test: not found/
      ])
      assert.match(log, SECOND(id))
      assert.notInclude(log, CANARY)
      assert.notInclude(log, "x".repeat(32))
    })
  )

  it.live("says that an order waits, and behind how many", () =>
    Effect.gen(function* () {
      const behind = yield* provider({ text: ["So far"], hang: true }, { text: ["Yes."] })
      const program = yield* launch({ args: ["-v"], config: model(behind.baseUrl) })
      const client = yield* connected("2025-11-25", program)
      const first = new AbortController()
      const one = client.call(ORDER, { message: "a", sessionKey: "k" }, { signal: first.signal }).catch(() => "gone")
      yield* behind.requested
      const two = client.call(ORDER, { message: "b", sessionKey: "k" })
      yield* program.logged(/order [0-9a-f]{8} \+\S+ s: queued: 0 orders of this client before it/)
      first.abort()
      yield* Effect.promise(() => one)
      assert.strictEqual(yield* Effect.promise(() => two), "Yes.")
    })
  )

  for (const verbose of [true, false]) {
    it.live(
      `of start says ${verbose ? "what becomes of each line, and never what it was" : "nothing when it is not there"}`,
      () =>
        Effect.gen(function* () {
          const behind = yield* provider(...REPLIES)
          const { args, cwd, env } = yield* launch({ config: { ...model(behind.baseUrl), mcp: { servers } } })
          const config = args.at(-1)!
          const home = yield* folder
          const { code, stderr } = yield* Effect.callback<{ code: number | null; stderr: string }>((resume) => {
            const flags = ["start", "--json", "--config", config, ...(verbose ? ["--verbose"] : [])]
            const child = spawn(process.execPath, [MAIN, ...flags], { cwd, env: { ...env, MCP_LIVE_HOME: home } })
            let stderr = ""
            child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
            child.stdout.resume()
            child.once("close", (code) => resume(Effect.succeed({ code, stderr })))
            child.stdin.end(`Do ${CANARY}\n`)
          })
          assert.strictEqual(code, 0, stderr)
          assert.notInclude(stderr, CANARY)
          if (verbose) checkPhases(stderr, [/message 1 \+\S+ s: received: 15 B/, ...PHASES("message 1")])
          else assert.notInclude(stderr, "message 1")
        })
    )
  }
})
