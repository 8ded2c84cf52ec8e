/** Whose a call is, at each door of the program, as its line in the audit log says. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAuditLine, type AuditRecord } from "../../../src/schemas/call/AuditRecord.ts"
import { callerAtTerminal } from "../../../src/schemas/call/Caller.ts"
import { personIdOf } from "../../../src/schemas/login/Identity.ts"
import { terminalUser } from "../../../src/system/terminalUser.ts"
import { run, start as runs } from "../../e2e/program.ts"
import { pause } from "../../support/pause.ts"
import { call, everything, newSession, start } from "../acp/client.ts"
import { overStdio, placeFor, real } from "../serve/program.ts"

type Call = Extract<AuditRecord, { kind: "call" }>

const user = callerAtTerminal(terminalUser()).person!
const OF_USER = { person: user.name, personId: personIdOf(user) }

/** The calls that a program has written. */
const callsIn = (home: string): ReadonlyArray<Call> =>
  (existsSync(join(home, "audit")) ? readdirSync(join(home, "audit")) : []).flatMap((name) =>
    readFileSync(join(home, "audit", name), "utf8")
      .split("\n")
      .flatMap((line) => {
        const record = parseAuditLine(line)
        return record?.kind === "call" ? [record] : []
      })
  )

const oneCallIn = (home: string): Call => {
  const [call, ...more] = callsIn(home)
  assert.lengthOf(more, 0)
  return call!
}

const place = placeFor({ mcp: { servers: { all: real("everything", ["stdio"]) } } })

describe.skipIf(process.platform === "win32")("a call is the user's", () => {
  it.live("who types it at the terminal", () =>
    Effect.gen(function* () {
      const { file, home } = yield* place
      const env = { MCP_LIVE_HOME: home }
      const typed = yield* runs(["start", "--config", file], { env, stdin: "/call all/echo message=x\n" })
      assert.strictEqual((yield* typed.exited).code, 0)
      assert.deepInclude(oneCallIn(home), { ...OF_USER, tool: "echo", outcome: "ok" })
      assert.isUndefined(oneCallIn(home).client)
    }).pipe(Effect.scoped)
  )

  it.live("who runs a command for it", () =>
    Effect.gen(function* () {
      const { file, home } = yield* place
      const { code } = yield* run(["call", "all/echo", "message=x", "--config", file], { env: { MCP_LIVE_HOME: home } })
      assert.strictEqual(code, 0)
      assert.deepInclude(oneCallIn(home), OF_USER)
    }).pipe(Effect.scoped)
  )

  it.live("who works in the editor", () =>
    Effect.gen(function* () {
      const { home } = yield* place
      const editor = yield* start({ home })
      const session = yield* newSession(editor, [everything()])
      yield* call(editor, session, "mcp__everything__echo", { message: "x" })
      yield* Effect.promise(editor.leave)
      assert.deepInclude(oneCallIn(home), OF_USER)
    }).pipe(Effect.scoped)
  )

  it.live("whose client started us", () =>
    Effect.gen(function* () {
      const made = yield* place
      yield* Effect.scoped(
        Effect.flatMap(overStdio("2025-11-25", made), (client) =>
          Effect.promise(async () => {
            await client.call("mcp_all_echo", { message: "x" })
            // A client kills a program that takes its time to end: its line is there before.
            while (callsIn(made.home).length === 0) await pause()
          })
        )
      )
      assert.deepInclude(oneCallIn(made.home), OF_USER)
      assert.isUndefined(oneCallIn(made.home).client)
    }).pipe(Effect.scoped)
  )
})
