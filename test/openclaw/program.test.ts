/** `mcp-live acp` as an editor runs it, in front of a real OpenClaw gateway. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"
import {
  media,
  folder,
  methods,
  newSession,
  prompt,
  saidIn,
  shell,
  start,
  updatesOf
} from "../integration/acp/client.ts"
import { GatewayLink } from "../../src/services/agent/GatewayLink.ts"
import { linkTo } from "../support/openclawLink.ts"
import { inFixtures } from "../fixtures/servers.ts"

const real = inject("openclaw")

describe.skipIf(real === undefined)("mcp-live acp at an OpenClaw gateway", () => {
  it.live("runs a turn in which the gateway's agent calls a tool of the editor's own server", () =>
    Effect.gen(function* () {
      const tokenFile = join(yield* folder, "token")
      writeFileSync(tokenFile, real!.token, { mode: 0o600 })
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

  it.live(
    "has the gateway's agent call a tool of a server of our own configuration, in a session without any other",
    () =>
      Effect.gen(function* () {
        const tokenFile = join(yield* folder, "token")
        writeFileSync(tokenFile, real!.token, { mode: 0o600 })
        const mine = {
          command: process.execPath,
          args: [inFixtures("shell.ts")],
          env: { MARK: "of the configuration" }
        }
        const editor = yield* start({
          args: ["--gateway", real!.url, "--token-file", tokenFile],
          config: { mcp: { servers: { mine } } }
        })
        const session = yield* newSession(editor)
        const { stopReason } = yield* prompt(editor, session, "CALL .*mine.*env {}")
        assert.strictEqual(stopReason, "end_turn")
        const updates = updatesOf(editor, session)
        const ended = updates.findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
        assert.include(JSON.stringify(ended), "of the configuration")
        assert.include(saidIn(editor, session), "of the configuration")
        assert.strictEqual(yield* Effect.promise(editor.leave), 0)
      })
  )

  it.live(
    "shows the editor sounds and files as the server gave them, and tells the gateway's model of them in words",
    () =>
      Effect.gen(function* () {
        const base64 = (text: string) => Buffer.from(text).toString("base64")
        const tokenFile = join(yield* folder, "token")
        writeFileSync(tokenFile, real!.token, { mode: 0o600 })
        const editor = yield* start({ args: ["--gateway", real!.url, "--token-file", tokenFile] })
        const session = yield* newSession(editor, [media()])
        const { stopReason } = yield* prompt(editor, session, "CALL .*mcp__media__media {}")
        assert.strictEqual(stopReason, "end_turn")
        const ended = updatesOf(editor, session).findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
        assert.isTrue(ended?.sessionUpdate === "tool_call_update" && ended.status === "completed")
        const { content } = ended as { readonly content: ReadonlyArray<{ readonly content: unknown }> }
        const shown = content.map((one) => one.content)
        for (const expected of [
          { type: "audio", mimeType: "audio/wav", data: base64("a sound") },
          {
            type: "resource",
            resource: { uri: "file:///archive.zip", mimeType: "application/zip", blob: base64("an archive") }
          },
          { type: "audio", mimeType: "audio/wav", data: base64("x".repeat(300_000)) }
        ]) {
          assert.deepInclude(shown, expected)
        }
        const told = saidIn(editor, session)
        assert.include(told, "five things")
        assert.match(told, /audio/)
        for (const hidden of ["a sound", "an archive"]) assert.notInclude(told, base64(hidden))
        assert.strictEqual(yield* Effect.promise(editor.leave), 0)
      })
  )

  it.live(
    "has taken its tools back when its client kills it, a second after it has left in the middle of an answer",
    () =>
      Effect.gen(function* () {
        const tokenFile = join(yield* folder, "token")
        writeFileSync(tokenFile, real!.token, { mode: 0o600 })
        const editor = yield* start({ args: ["--gateway", real!.url, "--token-file", tokenFile] })
        const session = yield* newSession(editor, [shell("deaf", {}, "--stubborn")])
        yield* prompt(editor, session, "CALL .*mcp__deaf__pid {}")
        const called = updatesOf(editor, session).findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")
        const server = Number((called as { readonly rawOutput?: { readonly text?: string } }).rawOutput?.text)
        // It outlives the agent, and no other agent ends it here.
        yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(server, "SIGKILL")))
        editor.agent
          .request(methods.session.prompt, { sessionId: session, prompt: [{ type: "text", text: "SLOW" }] })
          .catch(() => {})
        yield* Effect.promise(() =>
          editor.until(
            (update) =>
              update.sessionUpdate === "agent_message_chunk" && JSON.stringify(update.content).includes("slowly")
          )
        )
        editor.child.stdin!.end()
        const timer = setTimeout(() => editor.child.kill("SIGKILL"), 1_000)
        yield* Effect.promise(() => editor.exited)
        clearTimeout(timer)
        const { operator } = Context.get(yield* linkTo({ url: real!.url, token: real!.token }), GatewayLink)
        const ours = Effect.map(operator.request("config.get", {}), (answer) => [
          ...new Set(JSON.stringify(answer).match(/mcp-live-[0-9a-z]{3}-[0-9a-z]{5}-[0-9a-z]+/g))
        ])
        // What was asked for in time may still be being done.
        while ((yield* ours).length > 0) yield* Effect.sleep(200)
      })
  )
})
