/** `mcp-live acp` as it is installed: the built program, started by an editor. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, everything, methods, newSession, saidIn, shell, start } from "../integration/acp/client.ts"
import { alive } from "../support/alive.ts"
import { program } from "./terminal.ts"

describe("mcp-live acp, built", () => {
  it.live("greets, opens a session, calls its servers, closes it and ends; stdout carries frames alone", () =>
    Effect.gen(function* () {
      const editor = yield* start({ program, args: ["--log-level", "info"] })
      assert.strictEqual(editor.initialized.agentInfo?.name, "mcp-live")
      const session = yield* newSession(editor, [everything(), shell()])
      const sum = yield* call(editor, session, "mcp__everything__get-sum", { a: 20, b: 22 })
      assert.strictEqual(sum.status, "completed")
      assert.include(saidIn(editor, session), "42")
      const pid = Number((yield* call(editor, session, "mcp__shell__pid")).text)
      assert.isTrue(alive(pid))
      yield* Effect.promise(() => editor.agent.request(methods.session.close, { sessionId: session }))
      assert.isFalse(alive(pid))
      assert.strictEqual(yield* Effect.promise(editor.leave), 0)
      const lines = editor.wire().split("\n")
      assert.strictEqual(lines.pop(), "")
      assert.isAbove(lines.length, 5)
      for (const line of lines) assert.deepInclude(JSON.parse(line), { jsonrpc: "2.0" })
      // What is told beside the protocol has a place of its own.
      assert.include(editor.log(), "[everything] Starting")
    }).pipe(Effect.scoped)
  )
})
