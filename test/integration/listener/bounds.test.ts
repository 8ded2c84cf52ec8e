/** What clients that mean no good, or are broken, make us keep: so much, and at nobody else's cost. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { request, type ClientRequest } from "node:http"
import { createInterface } from "node:readline"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import {
  LISTENER_BATCH_MAX,
  LISTENER_ID_MAX_CHARS,
  LISTENER_REQUESTS_MAX,
  LISTENER_SUBSCRIPTIONS_MAX,
  LISTENER_TASK_RESULTS_MAX_CHARS,
  LISTENER_TASK_WAITERS_MAX,
  LISTENER_TASKS_MAX,
  LISTENER_UNREAD_MS,
  LISTENER_URI_MAX_CHARS
} from "../../../src/schemas/defaults/Listener.ts"
import { inFixtures } from "../../fixtures/servers.ts"
import { text } from "../../fixtures/listener/offer.ts"
import { listening, makeNotes, TOKENS } from "../../support/listener.ts"
import { ask, bearer, begin, send, sessionOf, textOf, type Message } from "../../support/rawHttp.ts"

const { me, other } = TOKENS
const LEGACY = "2025-11-25"
const MODERN = "2026-07-28"
const BIG = 16 * 1024 * 1024
/** Of what is kept, there is to be room for several. */
const KEPT = LISTENER_TASK_RESULTS_MAX_CHARS / 8

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {}
}

const PROGRAM = inFixtures("listener/stdio.ts")

/** The fixture at stdin and stdout of a process. */
const started = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [PROGRAM, ...args])),
      (one) => Effect.sync(() => one.kill("SIGKILL"))
    )
    const notes = makeNotes()
    createInterface(child.stderr).on("line", (line) => notes.note(line.replace(/^note: /, "")))
    const write = (...messages: ReadonlyArray<object>) => {
      for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
    }
    /** From now on it is read: the answers with these ids. */
    const answers = (ids: ReadonlyArray<unknown>) =>
      Effect.gen(function* () {
        const lines = makeNotes()
        createInterface(child.stdout).on("line", lines.note)
        const all = ids.map((id) => lines.first((line) => (JSON.parse(line) as Message).id === id))
        return (yield* Effect.all(all)).map((line) => JSON.parse(line) as Message)
      })
    return { answers, notes, process: child, write }
  })

const listen = (id: unknown, notifications: object) => ({
  jsonrpc: "2.0",
  id,
  method: "subscriptions/listen",
  params: { notifications, _meta: META }
})

const big = { big: () => Effect.sync(() => text("x".repeat(BIG))) }

/** A call whose answer has begun to come, and is not read. */
const unread = (url: string, token: string): Effect.Effect<ClientRequest, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ClientRequest>((resume) => {
      const headers = { ...json, ...bearer(token), "mcp-protocol-version": MODERN, "mcp-method": "tools/call" }
      const sent = request(url, { method: "POST", agent: false, headers: { ...headers, "mcp-name": "big" } })
      sent.on("response", () => resume(Effect.succeed(sent))).on("error", () => {})
      sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "big", _meta: META } }))
    }),
    (sent) => Effect.sync(() => sent.destroy())
  )

const call = (url: string, token: string, name: string) =>
  Effect.promise(() => ask(MODERN, url, token, "tools/call", { name, arguments: { text: "hi" } }))

describe("answers that a client does not read", () => {
  live(
    "are limited in size per token: beyond that no more requests of this token are read, while others are served",
    () =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        const began = yield* Deferred.make<void>()
        const later = () =>
          Deferred.succeed(began, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as(text("late")))
        const { url } = yield* listening({ tools: { ...big, later } })
        const waiting = ask(MODERN, url, me, "tools/call", { name: "later" }).then(textOf, () => "cut off")
        yield* Deferred.await(began)
        const held = yield* Effect.all(Array.from({ length: 8 }, () => unread(url, me)))
        const refused = yield* call(url, me, "echo")
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers["retry-after"], "1")
        assert.strictEqual(textOf(yield* call(url, other, "echo")), "hi")
        // What was under way before has no room for its answer any more.
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual(yield* Effect.promise(() => waiting), "cut off")
        for (const one of held) one.destroy()
        const again = Effect.flatMap(call(url, me, "echo"), (answer) =>
          answer.status === 200 ? Effect.succeed(textOf(answer)) : Effect.fail("not yet")
        )
        assert.strictEqual(yield* Effect.eventually(again), "hi")
      })
  )

  it.effect("are not kept for long", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ tools: big })
      yield* Effect.all(Array.from({ length: 8 }, () => unread(url, me)))
      assert.strictEqual((yield* call(url, me, "echo")).status, 503)
      const passed = Effect.andThen(TestClock.adjust(LISTENER_UNREAD_MS), call(url, me, "echo"))
      const { status } = yield* Effect.repeat(passed, { until: (answer) => answer.status !== 503 })
      assert.strictEqual(status, 200)
    }).pipe(Effect.scoped)
  )
})

describe("tasks", () => {
  const opened = Effect.gen(function* () {
    const { heard, url } = yield* listening({ tasks: true })
    const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
    const put = (method: string, params: Record<string, unknown> = {}) =>
      Effect.promise(() => ask(LEGACY, url, me, method, params, { session }))
    const create = (name: string) =>
      Effect.map(put("tools/call", { name, arguments: { text: "hi" }, task: {} }), ({ messages }) =>
        String((messages.at(-1)?.result?.["task"] as { readonly taskId: string } | undefined)?.taskId)
      )
    const tell = (method: string, params: object) =>
      Effect.promise(() =>
        send(url, {
          headers: { ...json, ...bearer(me), "mcp-session-id": session },
          body: JSON.stringify({ jsonrpc: "2.0", method, params })
        })
      )
    return { create, heard, put, session, tell, url }
  })

  live("that have ended and were reported make room for new ones, the oldest first; no other tasks do", () =>
    Effect.gen(function* () {
      const { create, put } = yield* opened
      const has = (taskId: string) =>
        Effect.map(put("tasks/get", { taskId }), ({ messages }) => messages.at(-1)?.result !== undefined)
      const [untold, first, second, cancelled] = [
        yield* create("echo"),
        yield* create("echo"),
        yield* create("echo"),
        yield* create("wait")
      ]
      for (let i = 4; i < LISTENER_TASKS_MAX; i++) yield* create("echo")
      assert.strictEqual((yield* put("tools/call", { name: "echo", task: {} })).messages.at(-1)?.error?.code, -32_000)
      yield* put("tasks/result", { taskId: second })
      yield* put("tasks/result", { taskId: first })
      yield* put("tasks/cancel", { taskId: cancelled })
      yield* create("echo")
      assert.deepStrictEqual(yield* Effect.forEach([untold, first, second, cancelled], has), [true, false, true, true])
      yield* create("echo")
      yield* create("echo")
      assert.deepStrictEqual(yield* Effect.forEach([untold, second, cancelled], has), [true, false, false])
      assert.strictEqual((yield* put("tools/call", { name: "echo", task: {} })).messages.at(-1)?.error?.code, -32_000)
    })
  )

  live("with large results are kept up to a limit: beyond it tasks fail until the client has taken some", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening({
        tasks: true,
        tools: { big: () => Effect.sync(() => text("x".repeat(KEPT))) }
      })
      const session = (token: string) =>
        Effect.map(
          Effect.promise(() => begin(url, token)),
          sessionOf
        )
      const put = (token: string, name: string, method: string, params: Record<string, unknown>) =>
        Effect.map(
          Effect.promise(() => ask(LEGACY, url, token, method, params, { session: name })),
          ({ messages }) => messages.at(-1)!
        )
      const create = (token: string, name: string) =>
        Effect.gen(function* () {
          const { result } = yield* put(token, name, "tools/call", { name: "big", task: {} })
          const { taskId } = result!["task"] as { readonly taskId: string }
          const { result: ended } = yield* put(token, name, "tasks/get", { taskId }).pipe(
            Effect.repeat({ until: (task) => task.result!["status"] !== "working" })
          )
          return { taskId, status: ended!["status"] }
        })
      const room = LISTENER_TASK_RESULTS_MAX_CHARS / KEPT
      const [mine, again, theirs] = [yield* session(me), yield* session(me), yield* session(other)]
      const first = yield* create(me, mine)
      for (let i = 2; i < room; i++) assert.strictEqual((yield* create(me, again)).status, "completed")
      assert.strictEqual((yield* create(me, mine)).status, "failed")
      assert.strictEqual((yield* create(other, theirs)).status, "completed")
      // As it comes: it is large.
      const body = JSON.stringify({ jsonrpc: "2.0", id: "first", method: "tasks/result", params: first })
      const headers = { ...json, ...bearer(me), "mcp-session-id": mine }
      yield* Effect.promise(async () => (await fetch(url, { method: "POST", headers, body })).arrayBuffer())
      assert.strictEqual((yield* create(me, mine)).status, "completed")
      assert.isDefined((yield* put(me, mine, "tasks/get", { taskId: first.taskId })).error)
      // What ends with its session makes room, too.
      yield* Effect.promise(() => send(url, { method: "DELETE", headers: { ...bearer(me), "mcp-session-id": again } }))
      yield* heard("left me")
      assert.strictEqual((yield* create(me, mine)).status, "completed")
    })
  )

  live("whose results found no room release them", () =>
    Effect.gen(function* () {
      setFlagsFromString("--expose-gc")
      const collect = runInNewContext("gc") as () => void
      const results: Array<WeakRef<object>> = []
      const { url } = yield* listening({
        tasks: true,
        tools: {
          big: () =>
            Effect.sync(() => {
              const result = text("x".repeat(KEPT))
              results.push(new WeakRef(result))
              return result
            })
        }
      })
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      const create = Effect.promise(() => ask(LEGACY, url, me, "tools/call", { name: "big", task: {} }, { session }))
      const room = LISTENER_TASK_RESULTS_MAX_CHARS / KEPT
      for (let i = 0; i < room + 4; i++) yield* create
      const held = () => results.filter((result) => result.deref() !== undefined).length
      // What a turn has looked at stays until the turn is over. The test's own time is the limit.
      while (results.length < room + 4 || held() >= room) {
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        collect()
      }
    })
  )

  live("are waited for until the client says that it does not wait any more", () =>
    Effect.gen(function* () {
      const { create, session, tell, url } = yield* opened
      const taskId = yield* create("wait")
      const waiting = ask(LEGACY, url, me, "tasks/result", { taskId }, { id: 77, session })
      const cancelled = Effect.andThen(
        tell("notifications/cancelled", { requestId: 77 }),
        Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      )
      const answer = yield* Effect.raceFirst(
        Effect.promise(() => waiting),
        Effect.forever(cancelled)
      )
      assert.strictEqual(answer.messages.at(-1)?.error?.code, -32_000)
    })
  )
})

describe("a batch of messages", () => {
  live("in which one takes back another is answered", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      const headers = { ...json, ...bearer(me), "mcp-session-id": session }
      const put = (body: unknown) => send(url, { headers, body: JSON.stringify(body) })
      const cancel = (requestId: number) => ({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId }
      })
      const waiting = ask(LEGACY, url, me, "tools/call", { name: "wait" }, { id: 1, session })
      yield* heard("begun")
      const second = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait" } }
      const batch = yield* Effect.promise(() => put([cancel(1), second, cancel(2)]))
      assert.strictEqual(batch.messages.at(-1)?.error?.code, -32_000)
      assert.strictEqual((yield* Effect.promise(() => waiting)).messages.at(-1)?.error?.code, -32_000)
      assert.strictEqual((yield* Effect.promise(() => put([cancel(1)]))).status, 202)
    })
  )

  live("has a bound", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      const headers = { ...json, ...bearer(me), "mcp-session-id": session }
      const put = (count: number) => {
        const batch = Array.from({ length: count }, (_, requestId) => ({
          jsonrpc: "2.0",
          method: "notifications/cancelled",
          params: { requestId }
        }))
        return Effect.promise(() => send(url, { headers, body: JSON.stringify(batch) }))
      }
      assert.strictEqual((yield* put(LISTENER_BATCH_MAX)).status, 202)
      assert.strictEqual((yield* put(LISTENER_BATCH_MAX + 1)).status, 400)
    })
  )
})

describe("requests under way", () => {
  live("are counted together over all sessions", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const [mine, again] = [
        sessionOf(yield* Effect.promise(() => begin(url, me))),
        sessionOf(yield* Effect.promise(() => begin(url, me)))
      ]
      for (const [i, session] of [mine, again].entries()) {
        const one = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait" } })
        const headers = { ...json, ...bearer(me), "mcp-session-id": session }
        for (let id = 1; id <= LISTENER_REQUESTS_MAX / 2; id++) {
          void send(url, { headers, body: JSON.stringify(one(id)) }).catch(() => {})
        }
        yield* heard("begun", ((i + 1) * LISTENER_REQUESTS_MAX) / 2)
      }
      const echo = { name: "echo", arguments: { text: "hi" } }
      const over = yield* Effect.promise(() => ask(LEGACY, url, me, "tools/call", echo, { id: 1_000, session: mine }))
      assert.strictEqual(over.messages.at(-1)?.error?.code, -32_000)
      // What ends with its session makes room.
      yield* Effect.promise(() => send(url, { method: "DELETE", headers: { ...bearer(me), "mcp-session-id": again } }))
      yield* heard("interrupted", LISTENER_REQUESTS_MAX / 2)
      const then = yield* Effect.promise(() => ask(LEGACY, url, me, "tools/call", echo, { id: 1_000, session: mine }))
      assert.strictEqual(textOf(then), "hi")
    })
  )
})

describe("the result of a task", () => {
  live("is waited for so many times", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ tasks: true })
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      const made = yield* Effect.promise(() =>
        ask(LEGACY, url, me, "tools/call", { name: "wait", task: {} }, { session })
      )
      const { taskId } = made.messages.at(-1)!.result!["task"] as { readonly taskId: string }
      const one = (id: number) => ({ jsonrpc: "2.0", id, method: "tasks/result", params: { taskId } })
      const body = JSON.stringify(Array.from({ length: LISTENER_TASK_WAITERS_MAX + 1 }, (_, id) => one(id)))
      const headers = { ...json, ...bearer(me), "mcp-session-id": session }
      const first = yield* Effect.callback<Message>((resume) => {
        const away = new AbortController()
        const onMessage = (message: Message) => resume(Effect.succeed(message))
        send(url, { headers, body, onMessage, signal: away.signal }).catch(() => {})
        return Effect.sync(() => away.abort())
      })
      assert.strictEqual(first.id, LISTENER_TASK_WAITERS_MAX)
      assert.strictEqual(first.error?.code, -32_000)
    })
  )
})

describe("news", () => {
  const many = Array.from({ length: LISTENER_SUBSCRIPTIONS_MAX + 1 }, (_, i) => `test://${i}`)
  const long = [`test://${"x".repeat(LISTENER_URI_MAX_CHARS)}`]
  const fits = [...many.slice(2), long[0]!.slice(0, LISTENER_URI_MAX_CHARS)]

  live("is asked for so many resources", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const asked = (uris: ReadonlyArray<string>) =>
        Effect.callback<Message>((resume) => {
          const away = new AbortController()
          const onMessage = (message: Message) => resume(Effect.succeed(message))
          const { id, method, params } = listen(1, { resourceSubscriptions: uris })
          ask(MODERN, url, me, method, params, { id: id as number, onMessage, signal: away.signal }).then(
            ({ messages }) => resume(Effect.succeed(messages[0]!)),
            () => {}
          )
          return Effect.sync(() => away.abort())
        })
      assert.deepInclude((yield* asked(many)).error, { code: -32_602 })
      assert.deepInclude((yield* asked(long)).error, { code: -32_602 })
      assert.strictEqual((yield* asked(fits)).method, "notifications/subscriptions/acknowledged")

      const { answers, write } = yield* started()
      write(listen("many", { resourceSubscriptions: many }), listen("long", { resourceSubscriptions: long }))
      for (const { error } of yield* answers(["many", "long"])) assert.strictEqual(error?.code, -32_602)
    })
  )

  live("waits for a client at stdin that does not read", () =>
    Effect.gen(function* () {
      const { notes, write } = yield* started("flood")
      for (let i = 0; i < 32; i++) write(listen(i, { toolsListChanged: true }))
      yield* notes.heard("time has passed")
      assert.notInclude(notes.lines, "all is told")
    })
  )
})

describe("what a client calls a request, or progress", () => {
  const longest = "x".repeat(LISTENER_ID_MAX_CHARS)
  const long = `${longest}x`
  const echo = (id: string, progressToken: string) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "echo", arguments: { text: "hi" }, _meta: { ...META, progressToken } }
  })

  live("is limited in length, as it is repeated in each message", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const modern = { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "echo" }
      const put = (body: unknown, more: Record<string, string> = modern) =>
        Effect.promise(() => send(url, { headers: { ...json, ...bearer(me), ...more }, body: JSON.stringify(body) }))
      assert.strictEqual((yield* put(echo(longest, longest))).messages.at(-1)?.id, longest)
      const session = { "mcp-session-id": sessionOf(yield* Effect.promise(() => begin(url, me))) }
      for (const [id, refused, answer] of [
        [null, echo(long, "a"), modern],
        ["1", echo("1", long), modern],
        [null, [echo("2", "a"), echo(long, "a")], session],
        ["3", [echo("2", "a"), echo("3", long)], session]
      ] as const) {
        const { messages, status } = yield* put(refused, answer)
        assert.strictEqual(status, 400)
        assert.deepInclude(messages[0], { id })
        assert.strictEqual(messages[0]?.error?.code, -32_602)
      }
      const { answers, write } = yield* started()
      write(echo(longest, longest), echo("1", long), echo("2", "a"))
      const [ofLongest, ofLong, ofShort] = yield* answers([longest, "1", "2"])
      assert.isUndefined(ofLongest?.error)
      assert.strictEqual(ofLong?.error?.code, -32_602)
      assert.isUndefined(ofShort?.error)
    })
  )
})

describe("a client at stdin that does not read", () => {
  live("has left when it closes stdin, however much is unread and waits", () =>
    Effect.gen(function* () {
      const { notes, process: child, write } = yield* started()
      const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "raw", version: "0" } }
      write({ jsonrpc: "2.0", id: 0, method: "initialize", params })
      const text = "x".repeat(64 * 1024)
      for (let id = 1; id <= 40; id++) {
        write({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: { text } } })
      }
      child.stdin.end()
      yield* notes.heard("returned")
    })
  )
})

describe("a line at stdin", () => {
  live("that is no request, but nearly, is answered", () =>
    Effect.gen(function* () {
      const { answers, write } = yield* started()
      const echo = (id: unknown, params: unknown) => ({ jsonrpc: "2.0", id, method: "tools/call", params })
      write(
        echo(1, [1]),
        echo(2, null),
        echo(3, { name: "echo", _meta: { progressToken: {} } }),
        echo(4.5, { name: "echo" }),
        { ...echo(5, { name: "echo" }), more: 1 }
      )
      for (const { error } of yield* answers([1, 2, 3, 4.5, 5])) assert.strictEqual(error?.code, -32_600)
    })
  )
})
