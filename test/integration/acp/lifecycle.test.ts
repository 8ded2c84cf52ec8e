import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { alive, leftOf } from "../../support/alive.ts"
import { died } from "../../support/children.ts"
import {
  call,
  folder,
  methods,
  newSession,
  prompt,
  refusal,
  saidIn,
  shell,
  start,
  updatesOf,
  type Editor
} from "./client.ts"
import { isFull } from "../../support/full.ts"

const load = (editor: Editor, sessionId: string, mcpServers = [shell()], cwd = tmpdir()) =>
  Effect.promise(() => editor.agent.request(methods.session.load, { sessionId, cwd, mcpServers }))
const resume = (editor: Editor, sessionId: string, mcpServers = [shell()], cwd = tmpdir()) =>
  Effect.promise(() => editor.agent.request(methods.session.resume, { sessionId, cwd, mcpServers }))
const close = (editor: Editor, sessionId: string) =>
  Effect.promise(() => editor.agent.request(methods.session.close, { sessionId }))
const remove = (editor: Editor, sessionId: string) =>
  Effect.promise(() => editor.agent.request(methods.session.delete, { sessionId }))
const list = (editor: Editor, cwd?: string) =>
  Effect.map(
    Effect.promise(() => editor.agent.request(methods.session.list, cwd === undefined ? {} : { cwd })),
    ({ sessions }) => sessions
  )
const loadRefused = ({ agent }: Editor, sessionId: string) =>
  refusal(() => agent.request(methods.session.load, { sessionId, cwd: tmpdir(), mcpServers: [] }))

const conversations = (home: string) => {
  const directory = join(home, "conversations")
  return readdirSync(directory).flatMap((name) => (name.endsWith(".lock") ? [] : [join(directory, name)]))
}

describe("a session over several processes", () => {
  it.live("is listed and loaded after a restart, with all that was said and done", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const cwd = mkdtempSync(join(home, "work-"))
      const first = yield* start({ home })
      const session = yield* newSession(first, [shell()], cwd)
      yield* prompt(first, session, '/call mcp__shell__echo {"text":"remember me"}')
      const before = updatesOf(first, session)
      yield* Effect.promise(first.leave)

      const second = yield* start({ home })
      const [listed, ...others] = yield* list(second)
      assert.deepInclude(listed, { sessionId: session, cwd, title: '/call mcp__shell__echo {"text":"remember me"}' })
      assert.lengthOf(others, 0)
      assert.lengthOf(yield* list(second, cwd), 1)
      assert.lengthOf(yield* list(second, "/elsewhere"), 0)

      yield* load(second, session, [shell()], cwd)
      const replayed = updatesOf(second, session).filter(({ sessionUpdate }) => !/available/.test(sessionUpdate))
      assert.deepStrictEqual(replayed[0], {
        sessionUpdate: "user_message_chunk",
        content: { type: "text", text: '/call mcp__shell__echo {"text":"remember me"}' }
      })
      const done = before.filter(({ sessionUpdate }) => /tool_call|agent_message/.test(sessionUpdate))
      assert.deepStrictEqual(replayed.slice(1), done)
      // It goes on, with servers of this process, and its calls have ids of their own.
      assert.strictEqual((yield* call(second, session, "mcp__shell__echo", { text: "again" })).text, "again")
      const ids = updatesOf(second, session).flatMap((update) =>
        update.sessionUpdate === "tool_call" ? [update.toolCallId] : []
      )
      assert.lengthOf(new Set(ids), 2)
    })
  )

  it.live("is resumed without a replay and with other servers; the previous servers are stopped", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const editor = yield* start({ home })
      const session = yield* newSession(editor, [shell("one")])
      const pid = Number((yield* call(editor, session, "mcp__one__pid")).text)
      const seen = updatesOf(editor, session).length
      yield* resume(editor, session, [shell("two")])
      assert.isFalse(alive(pid))
      assert.strictEqual((yield* call(editor, session, "mcp__two__echo", { text: "two" })).text, "two")
      assert.strictEqual((yield* call(editor, session, "mcp__one__echo", { text: "one" })).status, "failed")
      assert.isFalse(
        updatesOf(editor, session)
          .slice(seen)
          .some(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")
      )
      // In another process as well; of one in which nothing was said there is nothing to go on with.
      const empty = yield* newSession(editor)
      yield* Effect.promise(editor.leave)
      const next = yield* start({ home })
      yield* resume(next, session, [shell("three")])
      assert.strictEqual((yield* call(next, session, "mcp__three__echo", { text: "3" })).text, "3")
      const gone = yield* refusal(() =>
        next.agent.request(methods.session.resume, { sessionId: empty, cwd: tmpdir(), mcpServers: [] })
      )
      assert.strictEqual(gone.code, -32002)
    })
  )

  it.live("ends at close, and can be loaded again; an empty one is forgotten", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const editor = yield* start({ home })
      const session = yield* newSession(editor, [shell()])
      const pid = Number((yield* call(editor, session, "mcp__shell__pid")).text)
      const empty = yield* newSession(editor)
      yield* close(editor, session)
      yield* close(editor, empty)
      assert.isFalse(alive(pid))
      const text = [{ type: "text" as const, text: "hi" }]
      const gone = yield* refusal(() =>
        editor.agent.request(methods.session.prompt, { sessionId: session, prompt: text })
      )
      assert.strictEqual(gone.code, -32002)
      assert.strictEqual((yield* loadRefused(editor, empty)).code, -32002)
      assert.lengthOf(conversations(home), 1)
      yield* load(editor, session)
      yield* close(editor, session)
      // Closed in a process that has never seen it, as some clients do.
      const other = yield* start({ home })
      assert.deepStrictEqual(yield* close(other, session), {})
    })
  )

  it.live("is gone for good at delete", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const editor = yield* start({ home })
      const session = yield* newSession(editor, [shell()])
      const pid = Number((yield* call(editor, session, "mcp__shell__pid")).text)
      yield* remove(editor, session)
      assert.isFalse(alive(pid))
      assert.lengthOf(yield* list(editor), 0)
      assert.lengthOf(conversations(home), 0)
      assert.deepInclude(yield* loadRefused(editor, session), { code: -32002, data: { sessionId: session } })
    })
  )

  it.live("is kept for this user alone, without secrets", () =>
    Effect.gen(function* () {
      const home = yield* folder
      const secret = "canary-Kx93-of-the-client"
      const editor = yield* start({ home })
      const session = yield* newSession(editor, [shell("shell", { API_TOKEN: secret })])
      yield* call(editor, session, "mcp__shell__env")
      yield* prompt(editor, session, `My token is ${secret}, is that right?`)
      assert.include(saidIn(editor, session), "[REDACTED]")
      const [path = "", ...others] = conversations(home)
      assert.lengthOf(others, 0)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.strictEqual(statSync(join(home, "conversations")).mode & 0o777, 0o700)
      const kept = readFileSync(path, "utf8")
      assert.include(kept, "My token is [REDACTED], is that right?")
      assert.notInclude(kept, secret)
    })
  )
})

describe.concurrent("the end of the program", () => {
  const running = Effect.gen(function* () {
    const editor = yield* start()
    const sessions = yield* Effect.forEach([0, 1], () => newSession(editor, [shell("s", {}, "--stubborn")]))
    const pids: Array<number> = []
    for (const session of sessions) pids.push(Number((yield* call(editor, session, "mcp__s__pid")).text))
    // One of them is in the middle of a call.
    const turn = editor.agent
      .request(methods.session.prompt, {
        sessionId: sessions[0]!,
        prompt: [{ type: "text", text: '/call mcp__s__sh {"script":"sleep 60"}' }]
      })
      .catch(() => undefined)
    yield* Effect.promise(() =>
      editor.until((update) => update.sessionUpdate === "tool_call" && JSON.stringify(update).includes("sleep 60"))
    )
    return { editor, pids, turn }
  })

  it.live("when the client closes stdin stops all its servers, even stubborn ones", () =>
    Effect.gen(function* () {
      const { editor, pids } = yield* running
      assert.strictEqual(yield* Effect.promise(editor.leave), 0)
      assert.deepStrictEqual(yield* leftOf(pids), [])
    })
  )

  it.live("on SIGTERM stops all its servers, even stubborn ones", () =>
    Effect.gen(function* () {
      const { editor, pids } = yield* running
      editor.child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => editor.exited), 0)
      assert.deepStrictEqual(yield* leftOf(pids), [])
    })
  )

  it.live.skipIf(process.platform !== "linux")(
    "when it is killed: the next one ends them, without any server of its own",
    () =>
      Effect.gen(function* () {
        const { editor, pids } = yield* running
        editor.child.kill("SIGKILL")
        yield* Effect.promise(() => editor.exited)
        // They would stay. Any program of this user that starts from now on ends them, also one of another test.
        yield* start()
        yield* died(pids)
      })
  )

  it.live.runIf(isFull)("when the client stops reading and goes away stops all its servers, even stubborn ones", () =>
    Effect.gen(function* () {
      const { editor, pids } = yield* running
      editor.child.stdout!.destroy()
      editor.child.stdin!.end()
      yield* Effect.promise(() => editor.exited)
      assert.deepStrictEqual(yield* leftOf(pids), [])
    })
  )
})
