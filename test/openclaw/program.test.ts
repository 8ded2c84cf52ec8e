/** `mcp-live acp` as an editor runs it, in front of a real OpenClaw gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import { folder, methods, newSession, prompt, saidIn, shell, start, updatesOf } from "../integration/acp/client.ts"

const real = inject("openclaw")

describe.skipIf(real === undefined)("mcp-live acp at an OpenClaw gateway", () => {
  it.live("runs a turn in which the gateway's agent calls a tool of the editor's own server", () =>
    Effect.gen(function* () {
      const tokenFile = join(yield* folder, "token")
      writeFileSync(tokenFile, real!.token)
      const editor = yield* start({ args: ["--gateway", real!.url, "--token-file", tokenFile] })
      const session = yield* newSession(editor, [shell()])
      const { stopReason } = yield* prompt(editor, session, 'CALL .*mcp__shell__echo {"text":"from the editor"}')
      assert.strictEqual(stopReason, "end_turn")
      const updates = updatesOf(editor, session)
      const call = updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")
      assert.isTrue(call?.sessionUpdate === "tool_call" && call.name === "mcp__shell__echo")
      assert.include(saidIn(editor, session), "from the editor")
      const another = yield* newSession(editor)
      yield* prompt(editor, another, 'CALL .*mcp__shell__echo {"text":"x"}')
      assert.include(saidIn(editor, another), "NO SUCH TOOL")
      yield* Effect.promise(() => editor.agent.request(methods.session.close, { sessionId: session }))
      assert.strictEqual(yield* Effect.promise(editor.leave), 0)
    })
  )
})
