/** What the door on the loopback lets in, keeps, and lets go of. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as PubSub from "effect/PubSub"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { request } from "node:http"
import {
  LISTENER_ASK_MS,
  LISTENER_CALL_MAX_BYTES,
  LISTENER_REQUESTS_MAX,
  LISTENER_SESSION_IDLE_MS,
  LISTENER_SESSIONS_EACH_MAX,
  LISTENER_SESSIONS_MAX
} from "../../../src/schemas/defaults/Listener.ts"
import { JSON_MAX_DEPTH } from "../../../src/schemas/defaults/Wire.ts"
import { RequestRefused } from "../../../src/schemas/listener/ListenerError.ts"
import { McpListener } from "../../../src/services/listener/McpListener.ts"
import { listenerLayer, listening, makeNotes, streaming, TOKENS } from "../../support/listener.ts"
import { connected, ERAS } from "../../support/mcpClients.ts"
import { ask, bearer, begin, notify, send, sessionOf, textOf, type Message } from "../../support/rawHttp.ts"

const { me, other } = TOKENS
const LEGACY = "2025-11-25"
const MODERN = "2026-07-28"

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

const cancellation = () => new AbortController()

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const SHORT_MS = 1_000
const LONG = 500_000

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Waits until something is heard, while time passes. */
const asTimePasses = (millis: number, heard: Effect.Effect<void>) =>
  Effect.raceFirst(heard, Effect.forever(Effect.andThen(TestClock.adjust(millis), turn)))

describe("the door on the loopback", () => {
  live("serves only clients with a token", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const knock = (headers: Record<string, string>) =>
        Effect.promise(() => send(url, { headers: { ...json, ...headers }, body: "{}" }))
      for (const headers of [{}, bearer("wrong"), bearer(""), bearer(`${me}x`), { authorization: `Basic ${me}` }]) {
        const { headers: said, status, text } = yield* knock(headers)
        assert.strictEqual(status, 401)
        assert.strictEqual(said["www-authenticate"], "Bearer")
        const { error, id } = JSON.parse(text) as { readonly id: unknown; readonly error: { readonly message: string } }
        assert.isNull(id)
        assert.match(
          error.message,
          /^(A token is missing|This token is not one of this server's): send "Authorization: /
        )
        assert.notInclude(text, me)
      }
      assert.notStrictEqual((yield* knock(bearer(me))).status, 401)
    })
  )

  live("refuses foreign host names and web pages, even with a token", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const { port } = new URL(url)
      const knock = (headers: Record<string, string>) =>
        Effect.map(
          Effect.promise(() => send(url, { headers: { ...json, ...bearer(me), ...headers }, body: "{}" })),
          ({ status }) => status
        )
      for (const host of ["evil.example.com", `evil.example.com:${port}`, `127.0.0.1:1`, "localhost"]) {
        assert.strictEqual(yield* knock({ host }), 403)
      }
      for (const origin of ["http://evil.example.com", "null", "http://localhost:1", `https://127.0.0.1:${port}`]) {
        assert.strictEqual(yield* knock({ origin }), 403)
      }
      assert.notStrictEqual(yield* knock({ host: `localhost:${port}` }), 403)
      assert.notStrictEqual(yield* knock({ origin: `http://localhost:${port}` }), 403)
    })
  )

  live("has one path", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      for (const path of ["/", "/mcp/", "/mcp/x", "/alive"]) {
        const knocked = send(new URL(path, url).href, { headers: { ...json, ...bearer(me) }, body: "{}" })
        assert.strictEqual((yield* Effect.promise(() => knocked)).status, 404)
      }
    })
  )

  live("refuses messages that are too large, too deep or malformed", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const put = (body: string) => Effect.promise(() => send(url, { headers: { ...json, ...bearer(me) }, body }))
      assert.strictEqual((yield* put("{nothing")).messages[0]?.error?.code, -32_700)
      const deep = `${"[".repeat(JSON_MAX_DEPTH + 1)}${"]".repeat(JSON_MAX_DEPTH + 1)}`
      const { messages, status } = yield* put(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"deep":${deep}}}`)
      assert.strictEqual(status, 400)
      assert.include(messages[0]?.error?.message, `${JSON_MAX_DEPTH} levels deep`)
      const large = yield* Effect.callback<number | undefined>((resume) => {
        const headers = { ...json, ...bearer(me), "content-length": String(LISTENER_CALL_MAX_BYTES + 1) }
        const sent = request(url, { method: "POST", headers }, (got) => {
          resume(Effect.succeed(got.statusCode))
          sent.destroy()
        })
        sent.on("error", () => {})
        sent.write("{")
      })
      assert.strictEqual(large, 413)
    })
  )

  live("reports an unknown protocol revision", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      const headers = { "mcp-protocol-version": "1999-01-01" }
      const { status } = yield* Effect.promise(() => ask(LEGACY, url, me, "tools/list", {}, { session, headers }))
      assert.strictEqual(status, 400)
    })
  )

  live("passes the reason of a refusal on to the client", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({
        serve: () => Effect.fail(new RequestRefused({ code: -32_050, message: "Not you" }))
      })
      const { headers, messages } = yield* Effect.promise(() => begin(url, me))
      assert.deepInclude(messages[0]?.error, { code: -32_050, message: "Not you" })
      assert.isUndefined(headers["mcp-session-id"])
      const modern = yield* Effect.promise(() => ask(MODERN, url, me, "tools/list"))
      assert.deepInclude(modern.messages[0]?.error, { code: -32_050, message: "Not you" })
    })
  )

  live("two tokens are two principals, each with its agent", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      for (const era of ERAS) {
        const mine = yield* connected(era, { url, token: me })
        const theirs = yield* connected(era, { url, token: other })
        assert.strictEqual(yield* Effect.promise(() => mine.call("who")), JSON.stringify(["me", "writer", "test"]))
        assert.strictEqual(
          yield* Effect.promise(() => theirs.call("who")),
          JSON.stringify(["other", undefined, "test"])
        )
      }
    })
  )

  live("nothing of it is left when the Scope closes", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* Effect.scoped(
        Effect.gen(function* () {
          const { heard, lines, url } = yield* listening()
          const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
          for (const [era, more] of [[LEGACY, { session }] as const, [MODERN, {}] as const]) {
            void ask(era, url, me, "tools/call", { name: "wait" }, more).catch(() => {})
          }
          yield* heard("begun", 2)
          return { lines, url }
        })
      )
      assert.sameMembers(lines.slice(2), ["interrupted", "interrupted", "left me", "left me"])
      const answer = yield* Effect.promise(() => send(url, { headers: bearer(me) }).catch(() => "gone"))
      assert.strictEqual(answer, "gone")
    })
  )

  live("has so many requests of one token under way, and says so to the next", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const stop = cancellation()
      for (let i = 0; i < LISTENER_REQUESTS_MAX; i++) {
        void ask(MODERN, url, me, "tools/call", { name: "wait" }, { signal: stop.signal }).catch(() => {})
      }
      yield* heard("begun", LISTENER_REQUESTS_MAX)
      const call = (token: string) =>
        Effect.promise(() => ask(MODERN, url, token, "tools/call", { name: "echo", arguments: { text: "hi" } }))
      assert.strictEqual((yield* call(me)).messages[0]?.error?.code, -32_000)
      assert.strictEqual(textOf(yield* call(other)), "hi")
      stop.abort()
      yield* heard("interrupted", LISTENER_REQUESTS_MAX)
      assert.strictEqual(textOf(yield* call(me)), "hi")
    })
  )
})

describe("sessions", () => {
  live("belong to the token that opened them", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      assert.match(session, /^[\w-]{43}$/)
      const list = (token: string, name?: string) =>
        Effect.map(
          Effect.promise(() => ask(LEGACY, url, token, "tools/list", {}, name === undefined ? {} : { session: name })),
          ({ status }) => status
        )
      assert.strictEqual(yield* list(me, session), 200)
      assert.strictEqual(yield* list(other, session), 404)
      assert.strictEqual(yield* list(me, `${session}x`), 404)
      assert.strictEqual(yield* list(me), 400)
      const end = { method: "DELETE", headers: { ...bearer(other), "mcp-session-id": session } }
      assert.strictEqual((yield* Effect.promise(() => send(url, end))).status, 404)
      assert.strictEqual(yield* list(me, session), 200)
    })
  )

  live("end with their requests when the client ends them", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      void ask(LEGACY, url, me, "tools/call", { name: "wait" }, { session }).catch(() => {})
      yield* heard("begun")
      const end = { method: "DELETE", headers: { ...bearer(me), "mcp-session-id": session } }
      assert.strictEqual((yield* Effect.promise(() => send(url, end))).status, 200)
      yield* heard("interrupted")
      yield* heard("left me")
      const { status } = yield* Effect.promise(() => ask(LEGACY, url, me, "tools/list", {}, { session }))
      assert.strictEqual(status, 404)
    })
  )

  it.effect("end after a time without use", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      yield* asTimePasses(LISTENER_SESSION_IDLE_MS, heard("left me"))
      const { status } = yield* Effect.promise(() => ask(LEGACY, url, me, "tools/list", {}, { session }))
      assert.strictEqual(status, 404)
    }).pipe(Effect.scoped)
  )

  for (const [era, use] of [
    [LEGACY, (url: string) => begin(url, me)],
    [MODERN, (url: string) => ask(MODERN, url, me, "tools/list")]
  ] as const) {
    it.effect(`of a client of ${era} end sooner where the offer says so`, () =>
      Effect.gen(function* () {
        const { heard, url } = yield* listening({ idleMs: SHORT_MS })
        yield* Effect.promise(() => use(url))
        yield* asTimePasses(SHORT_MS, heard("left me"))
        assert.isBelow(yield* Clock.currentTimeMillis, LISTENER_SESSION_IDLE_MS / 2)
      }).pipe(Effect.scoped)
    )
  }

  it.effect("do not end while a stream is open, or a call goes on as a task", () =>
    Effect.gen(function* () {
      const { heard, lines, url } = yield* listening({ idleMs: SHORT_MS, tasks: true })
      const [listens, works] = [
        sessionOf(yield* Effect.promise(() => begin(url, me))),
        sessionOf(yield* Effect.promise(() => begin(url, me)))
      ]
      yield* streaming(url, listens)
      yield* Effect.promise(() => ask(LEGACY, url, me, "tools/call", { name: "wait", task: {} }, { session: works }))
      yield* heard("begun")
      for (let i = 0; i < 50; i++) yield* Effect.andThen(TestClock.adjust(SHORT_MS), turn)
      assert.notInclude(lines, "left me")
      assert.notInclude(lines, "interrupted")
    }).pipe(Effect.scoped)
  )

  it.effect("do not end while the body of a request arrives", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* listening({ idleMs: SHORT_MS })
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      yield* Effect.promise(() => notify(url, me, session, "notifications/initialized"))
      const params = { name: "echo", arguments: { text: "x".repeat(LONG) } }
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
      const headers = { ...json, ...bearer(me), "mcp-session-id": session, "content-length": String(body.length) }
      // The server answers this interim request when it has read the head.
      const sending = request(url, { method: "POST", headers: { ...headers, expect: "100-continue" }, agent: false })
      const status = new Promise((resolve) => sending.once("response", (got) => resolve(got.resume().statusCode)))
      yield* Effect.promise(() => new Promise<void>((resolve) => sending.once("continue", resolve).flushHeaders()))
      sending.write(body.slice(0, LONG / 2))
      for (let i = 0; i < 50; i++) yield* Effect.andThen(TestClock.adjust(SHORT_MS), turn)
      sending.end(body.slice(LONG / 2))
      assert.strictEqual(yield* Effect.promise(() => status), 200)
      assert.notInclude(lines, "left me")
    }).pipe(Effect.scoped)
  )

  it.effect("of clients without sessions have state that ends after a time without use, and begins anew", () =>
    Effect.gen(function* () {
      const { heard, lines, url } = yield* listening()
      const echo = () =>
        Effect.promise(() => ask(MODERN, url, me, "tools/call", { name: "echo", arguments: { text: "hi" } }))
      assert.strictEqual(textOf(yield* echo()), "hi")
      yield* asTimePasses(LISTENER_SESSION_IDLE_MS, heard("left me"))
      assert.strictEqual(textOf(yield* echo()), "hi")
      assert.lengthOf(
        lines.filter((line) => line === "left me"),
        1
      )
    }).pipe(Effect.scoped)
  )

  it.effect("the state of a client without sessions stays while it has a task that the client may come back for", () =>
    Effect.gen(function* () {
      const { lines, url } = yield* listening({ tasks: true })
      const can = { extensions: { "io.modelcontextprotocol/tasks": {} } }
      const asked = (method: string, params: Record<string, unknown>) =>
        ask(MODERN, url, me, method, params, {
          capabilities: can,
          headers: typeof params["taskId"] === "string" ? { "mcp-name": params["taskId"] } : {}
        })
      const creating = asked("tools/call", { name: "wait" })
      const created = yield* Effect.raceFirst(
        Effect.promise(() => creating),
        Effect.forever(
          Effect.andThen(
            TestClock.adjust(100),
            Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          )
        )
      )
      const taskId = created.messages.at(-1)?.result?.["taskId"]
      yield* TestClock.adjust(LISTENER_SESSION_IDLE_MS)
      const { messages } = yield* Effect.promise(() => asked("tasks/get", { taskId }))
      assert.strictEqual(messages.at(-1)?.result?.["status"], "working")
      assert.notInclude(lines, "left me")
    }).pipe(Effect.scoped)
  )

  live("are limited per token: one more replaces the least recently used one of the same token", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const theirs = sessionOf(yield* Effect.promise(() => begin(url, other)))
      const names: Array<string> = []
      for (let i = 0; i < LISTENER_SESSIONS_EACH_MAX; i++) {
        names.push(sessionOf(yield* Effect.promise(() => begin(url, me))))
      }
      const status = (token: string, session: string) =>
        Effect.map(
          Effect.promise(() => ask(LEGACY, url, token, "ping", {}, { session })),
          (answer) => answer.status
        )
      assert.strictEqual(yield* status(me, names[0]!), 200)
      yield* Effect.promise(() => begin(url, me))
      assert.strictEqual(yield* status(me, names[0]!), 200)
      assert.strictEqual(yield* status(me, names[1]!), 404)
      assert.strictEqual(yield* status(other, theirs), 200)
      yield* heard("left me")
    })
  )

  live("of many tokens at the limit end no session of others, and keep no client out", () =>
    Effect.gen(function* () {
      const crowd = Array.from(
        { length: LISTENER_SESSIONS_MAX / LISTENER_SESSIONS_EACH_MAX },
        (_, i) => `a-token-of-crowd-${i}`
      )
      const { heard, lines, url } = yield* listening({ more: crowd })
      let [asked, answered] = [0, 0]
      const mine = sessionOf(yield* Effect.promise(() => begin(url, me)))
      for (const token of crowd) {
        const begun = Array.from({ length: LISTENER_SESSIONS_EACH_MAX }, () => begin(url, token))
        for (const answer of yield* Effect.promise(() => Promise.all(begun))) {
          if (answer.status !== 200) continue
          const session = sessionOf(answer)
          asked++
          ask(LEGACY, url, token, "tools/call", { name: "wait" }, { session }).then(
            () => answered++,
            () => {}
          )
        }
      }
      yield* heard("begun", LISTENER_SESSIONS_MAX - LISTENER_SESSIONS_EACH_MAX)
      // Each session is in use by now, or gone for a later one.
      const begun = () => lines.filter((line) => line === "begun").length
      yield* Effect.repeat(turn, { until: () => begun() + answered >= asked })
      const { status } = yield* Effect.promise(() => ask(LEGACY, url, me, "ping", {}, { session: mine }))
      assert.strictEqual(status, 200)
      assert.strictEqual((yield* Effect.promise(() => begin(url, other))).status, 200)
      const last = Array.from({ length: LISTENER_SESSIONS_EACH_MAX }, () => begin(url, crowd.at(-1)!))
      assert.isTrue((yield* Effect.promise(() => Promise.all(last))).every(({ status }) => status === 503))
    })
  )

  live("that are all in use take in no more", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      for (let i = 0; i < LISTENER_SESSIONS_EACH_MAX; i++) {
        const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
        void ask(LEGACY, url, me, "tools/call", { name: "wait" }, { session }).catch(() => {})
      }
      yield* heard("begun", LISTENER_SESSIONS_EACH_MAX)
      assert.strictEqual((yield* Effect.promise(() => begin(url, me))).status, 503)
      assert.strictEqual((yield* Effect.promise(() => begin(url, other))).status, 200)
    })
  )

  live("answer a cancelled request, so that its connection closes", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      const call = ask(LEGACY, url, me, "tools/call", { name: "wait" }, { session, id: 7 })
      yield* heard("begun")
      yield* Effect.promise(() => notify(url, me, session, "notifications/cancelled", { requestId: 7 }))
      yield* heard("interrupted")
      assert.strictEqual((yield* Effect.promise(() => call)).messages.at(-1)?.error?.code, -32_000)
    })
  )

  live("take no second request of the same id while the first is under way", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const session = sessionOf(yield* Effect.promise(() => begin(url, me)))
      void ask(LEGACY, url, me, "tools/call", { name: "wait" }, { session, id: 3 }).catch(() => {})
      yield* heard("begun")
      const second = yield* Effect.promise(() => ask(LEGACY, url, me, "ping", {}, { session, id: 3 }))
      assert.strictEqual(second.status, 400)
    })
  )

  live("hear of changes: of lists always, of a resource while they are subscribed", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const client = yield* connected(LEGACY, { url, token: me }, { roots: () => [] })
      // Asked for over the stream of news: it is open when they are there.
      yield* Effect.promise(() => client.call("roots"))
      const heard: Array<string | undefined> = []
      const hearing = (count: number) =>
        Effect.callback<void>((resume) => {
          for (const what of ["tools", "resource"] as const) {
            client.on(what, (uri) => {
              heard.push(uri)
              if (heard.length === count) resume(Effect.void)
            })
          }
        })
      const change = (args: Record<string, unknown>) => Effect.promise(() => client.call("change", args))
      const both = yield* Effect.forkChild(hearing(2), { startImmediately: true })
      yield* change({ kind: "resource", uri: "test://one" })
      yield* Effect.promise(() => client.request("resources/subscribe", { uri: "test://one" }))
      yield* change({ kind: "resource", uri: "test://one" })
      yield* change({ kind: "tools" })
      yield* Fiber.join(both)
      yield* Effect.promise(() => client.request("resources/unsubscribe", { uri: "test://one" }))
      const third = yield* Effect.forkChild(hearing(3), { startImmediately: true })
      yield* change({ kind: "resource", uri: "test://one" })
      yield* change({ kind: "tools" })
      yield* Fiber.join(third)
      assert.deepStrictEqual(heard, ["test://one", undefined, undefined])
    })
  )

  live("know the client's roots, and hear when they are others", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      let roots = [{ uri: "file:///one", name: "One" }, { uri: "https://no.root" }]
      const client = yield* connected(LEGACY, { url, token: me }, { roots: () => roots })
      const known = () =>
        Effect.map(
          Effect.promise(() => client.call("roots")),
          (text) => (JSON.parse(text) as { readonly value: unknown }).value
        )
      assert.deepStrictEqual(yield* known(), [{ uri: "file:///one", name: "One" }])
      roots = [{ uri: "file:///two" }]
      yield* Effect.promise(() => client.rootsChanged())
      let now = yield* known()
      while (JSON.stringify(now) !== JSON.stringify(roots)) now = yield* known()
    })
  )
})

describe("clients without sessions", () => {
  const capabilities = { elicitation: {}, sampling: {} }
  const elicited = { action: "accept", content: { name: "Ada" } }

  const asked = (url: string, name: string) =>
    Effect.map(
      Effect.promise(() => ask(MODERN, url, me, "tools/call", { name, arguments: {} }, { capabilities })),
      ({ messages }) => {
        const result = messages[0]!.result!
        assert.strictEqual(result["resultType"], "input_required")
        const keys = Object.keys(result["inputRequests"] as object)
        return {
          state: String(result["requestState"]),
          inputResponses: Object.fromEntries(keys.map((key) => [key, elicited]))
        }
      }
    )

  const again = (url: string, token: string, params: Record<string, unknown>, method = "tools/call") =>
    Effect.promise(() => ask(MODERN, url, token, method, params, { capabilities }))

  live(
    "come back with a state that nobody can guess, and that is good once, for the same request of the same token",
    () =>
      Effect.gen(function* () {
        const { url } = yield* listening()
        const { inputResponses, state } = yield* asked(url, "ask")
        assert.match(state, /^[\w-]{43}$/)
        const request = { name: "ask", arguments: {}, inputResponses, requestState: state }
        const refused = (answer: { readonly messages: ReadonlyArray<Message> }) =>
          assert.strictEqual(answer.messages[0]?.error?.code, -32_602)
        refused(yield* again(url, other, request))
        refused(yield* again(url, me, { ...request, arguments: { more: 1 } }))
        refused(yield* again(url, me, { ...request, name: "twice" }))
        refused(yield* again(url, me, { ...request, requestState: `${state}x` }))
        refused(yield* again(url, me, { name: "ask", inputResponses, requestState: state }, "prompts/get"))
        const done = yield* again(url, me, request)
        assert.deepStrictEqual(JSON.parse(textOf(done)), elicited)
        refused(yield* again(url, me, request))
      })
  )

  live("that repeat a request with the same state are served once", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const { inputResponses, state } = yield* asked(url, "askThenWait")
      const request = { name: "askThenWait", arguments: {}, inputResponses, requestState: state }
      void ask(MODERN, url, me, "tools/call", request, { capabilities }).catch(() => {})
      yield* heard("begun")
      assert.strictEqual((yield* again(url, me, request)).messages[0]?.error?.code, -32_602)
    })
  )

  live("are asked again for what they did not bring, and bring what they know along", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const { inputResponses, state } = yield* asked(url, "both")
      const [first, second] = Object.keys(inputResponses)
      const part = { name: "both", arguments: {}, inputResponses: { [first!]: elicited }, requestState: state }
      const { messages } = yield* again(url, me, part)
      const left = messages[0]!.result!
      assert.deepStrictEqual(Object.keys(left["inputRequests"] as object), [second])
      const rest = { ...part, inputResponses: { [second!]: elicited }, requestState: left["requestState"] }
      const done = textOf(yield* again(url, me, rest)).split(" & ")
      assert.deepStrictEqual(
        done.map((text): unknown => JSON.parse(text)),
        [elicited, elicited]
      )
    })
  )

  it.effect("that do not come back are not waited for", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const { inputResponses, state } = yield* asked(url, "twice")
      yield* asTimePasses(LISTENER_ASK_MS, heard("interrupted"))
      const late = { name: "twice", arguments: {}, inputResponses, requestState: state }
      assert.strictEqual((yield* again(url, me, late)).messages[0]?.error?.code, -32_602)
    }).pipe(Effect.scoped)
  )

  live("hear of changes that they listen for", () =>
    Effect.gen(function* () {
      const { changes, url } = yield* listening()
      const stop = cancellation()
      const heard: Array<Message> = []
      const notes = makeNotes()
      const onMessage = (message: Message) => {
        heard.push(message)
        notes.note("heard")
      }
      const notifications = { toolsListChanged: true, resourceSubscriptions: ["test://one"] }
      const options = { onMessage, signal: stop.signal }
      void ask(MODERN, url, me, "subscriptions/listen", { notifications }, options).catch(() => {})
      yield* notes.heard("heard")
      for (const change of [
        { kind: "prompts" },
        { kind: "resource", uri: "test://other" },
        { kind: "resource", uri: "test://one" },
        { kind: "tools" }
      ] as const) {
        yield* PubSub.publish(changes, change)
      }
      yield* notes.heard("heard", 3)
      stop.abort()
      assert.deepStrictEqual(
        heard.map(({ method, params }) => [method, params?.["uri"]]),
        [
          ["notifications/subscriptions/acknowledged", undefined],
          ["notifications/resources/updated", "test://one"],
          ["notifications/tools/list_changed", undefined]
        ]
      )
    })
  )

  live("get the HTTP status of an unknown method, too", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const { messages, status } = yield* Effect.promise(() => ask(MODERN, url, me, "no/such"))
      assert.strictEqual(status, 404)
      assert.strictEqual(messages[0]?.error?.code, -32_601)
    })
  )
})

describe("a port", () => {
  live("that is already in use is reported", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const { http } = yield* McpListener
      const port = Number(new URL(url).port)
      const tokens = [{ token: Redacted.make(me), principal: "me" }]
      const { message } = yield* Effect.flip(http(() => Effect.die("nobody comes"), { port, tokens }))
      assert.include(
        message,
        `port ${port} of this machine cannot be listened on: another program has it; choose another one, or 0 for one that is free (EADDRINUSE)`
      )
    }).pipe(Effect.provide(listenerLayer))
  )
})
