/** `mcp-live acp` as it is installed: the built program, started by an editor. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { call, everything, methods, newSession, saidIn, shell, start } from "../integration/acp/client.ts"
import { alive } from "../support/alive.ts"
import { configFile } from "./program.ts"

const program = fileURLToPath(new URL("../../bin/mcp-live.js", import.meta.url))

const SCRIPT = "/usr/bin/script"

describe.skipIf(process.platform !== "linux" || !existsSync(SCRIPT))(
  "mcp-live acp, started by hand on a terminal",
  () => {
    it.live("says what it is, how an editor starts it and what is wrong with the configuration, and goes on", () =>
      Effect.gen(function* () {
        const config = yield* configFile({ mcp: { servers: { x: { comand: "y" } } } })
        const terminal = yield* Effect.acquireRelease(
          Effect.sync(() => {
            const typed = [process.execPath, program, "acp", "--config", config].join(" ")
            return spawn(SCRIPT, ["-qec", typed, "/dev/null"], { stdio: ["pipe", "pipe", "ignore"] })
          }),
          (child) => Effect.sync(() => void child.kill("SIGKILL"))
        )
        let shown = ""
        const until = (pattern: RegExp) =>
          Effect.callback<void>((resume) => {
            const look = () => {
              if (pattern.test(shown)) resume(Effect.void)
            }
            terminal.stdout.on("data", look)
            look()
          })
        terminal.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text))
        yield* until(/comand/)
        assert.match(
          shown,
          /^mcp-live: this is an agent for editors: .*\r\nmcp-live: an editor starts it by itself: "command": "mcp-live", "args": \["acp"\].*\r\nmcp-live: .*comand/
        )
        terminal.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n')
        yield* until(/"agentInfo":\{"name":"mcp-live"/)
      }).pipe(Effect.scoped)
    )
  }
)

describe("mcp-live acp, built", () => {
  it.live("greets, opens a session, calls its servers, closes it and ends; stdout carries frames alone", () =>
    Effect.gen(function* () {
      const editor = yield* start({ program })
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
