/** HTTP with SSE, as clients of 2024-11-05 have it: a stream, and messages that are sent beside it. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as PubSub from "effect/PubSub"
import { TestClock } from "effect/testing"
import { request as requestOf } from "node:http"
import {
  LISTENER_KEEP_ALIVE_MS,
  LISTENER_CALL_MAX_BYTES,
  LISTENER_REQUESTS_MAX,
  LISTENER_SESSIONS_EACH_MAX,
  LISTENER_UNREAD_ANSWERS_MAX_BYTES,
  LISTENER_UNREAD_MS,
  LISTENER_URI_MAX_CHARS
} from "../../../src/schemas/defaults/Listener.ts"
import { RequestRefused } from "../../../src/schemas/listener/ListenerError.ts"
import { text } from "../../fixtures/listener/offer.ts"
import { listening, makeNotes, TOKENS } from "../../support/listener.ts"
import { connected } from "../../support/mcpClients.ts"
import { ask, bearer, send, type Message } from "../../support/rawHttp.ts"

const { me, other } = TOKENS
const LEGACY = "2025-11-25"

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

const at = (url: string, path: string) => new URL(path, url).href

/** A stream that was opened without a client: what is on it, and where messages for it go. */
const streaming = (url: string, token = me) =>
  Effect.gen(function* () {
    const notes = makeNotes()
    const controller = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (one) => Effect.sync(() => one.abort())
    )
    const onMessage = (message: Message) => notes.note(JSON.stringify(message))
    const ended = yield* Deferred.make<void>()
    const headers = { accept: "text/event-stream", ...bearer(token) }
    let onText: (said: string) => void = () => {}
    const first = new Promise<string>((resolve) => (onText = resolve))
    let all = ""
    const sending = { method: "GET", headers, onMessage, signal: controller.signal }
    void send(url, { ...sending, onText: (said) => ((all = said), onText(said)) })
      .catch(() => {})
      .finally(() => Deferred.doneUnsafe(ended, Effect.void))
    const opening = yield* Effect.promise(() => first)
    const endpoint = /^event: endpoint\ndata: (\S+)\n\n/.exec(opening)?.[1] ?? ""
    const post = (body: string | object, as = token) =>
      Effect.promise(() =>
        send(at(url, endpoint), {
          headers: { "content-type": "application/json", ...bearer(as) },
          body: typeof body === "string" ? body : JSON.stringify(body)
        })
      )
    return {
      ...notes,
      endpoint,
      post,
      ended: Deferred.await(ended),
      text: () => all,
      leave: () => controller.abort(),
      answer: (id: number) =>
        Effect.map(
          notes.first((line) => (JSON.parse(line) as Message).id === id),
          (line) => JSON.parse(line) as Message
        )
    }
  })

const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params })
const call = (id: number, name: string, args: object = {}) => request(id, "tools/call", { name, arguments: args })

describe("a client of 2024-11-05 over HTTP", () => {
  live("gets what others get: results, progress, questions, its roots asked for, and news", () =>
    Effect.gen(function* () {
      const { url } = yield* listening({ named: true })
      const elicit = async () => ({ action: "accept", content: { name: "Ada" } })
      const roots = () => [{ uri: "file:///one" }]
      const client = yield* connected(
        LEGACY,
        { url: at(url, "/sse/two%20words"), token: me, sse: true },
        { elicit, roots }
      )
      assert.strictEqual(yield* Effect.promise(() => client.call("echo", { text: "hi" })), "hi")
      assert.strictEqual(yield* Effect.promise(() => client.call("only")), "two words")
      assert.strictEqual(yield* Effect.promise(() => client.call("who")), JSON.stringify(["me", "writer", undefined]))
      assert.strictEqual(yield* Effect.promise(() => client.call("ask")), JSON.stringify(yield* Effect.promise(elicit)))
      assert.include(yield* Effect.promise(() => client.call("roots")), "file:///one")
      const steps: Array<unknown> = []
      const onprogress = (step: unknown) => void steps.push(step)
      yield* Effect.promise(() => client.call("report", {}, { onprogress }))
      assert.deepStrictEqual(
        steps.map((step) => (step as { readonly progress: number }).progress),
        [1, 2, 3]
      )
      const changed = new Promise<void>((resolve) => client.on("tools", () => resolve()))
      yield* Effect.promise(() => client.call("change", { kind: "tools" }))
      yield* Effect.promise(() => changed)
      assert.lengthOf(yield* Effect.promise(() => client.call("size", { text: "x".repeat(3_000_000) })), 7)
    })
  )

  live("may have many answers that are large", () =>
    Effect.gen(function* () {
      const large = "x".repeat(4_000_000)
      const { url } = yield* listening({ tools: { large: () => Effect.succeed(text(large)) } })
      const client = yield* connected(LEGACY, { url: at(url, "/sse"), token: me, sse: true })
      const answers = yield* Effect.promise(() => Promise.all(Array.from({ length: 5 }, () => client.call("large"))))
      for (const answer of answers) assert.isTrue(answer === large)
    })
  )

  live("interrupts what it cancels, and all that is under way when it leaves", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const { answer, leave, post } = yield* streaming(at(url, "/sse"))
      yield* post(call(1, "wait"))
      yield* heard("begun")
      yield* post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })
      yield* heard("interrupted")
      yield* post(call(1, "echo", { text: "again" }))
      assert.isDefined((yield* answer(1)).result)
      yield* post(call(2, "wait"))
      yield* heard("begun", 2)
      leave()
      yield* heard("interrupted", 2)
      yield* heard("left me")
    })
  )
})

describe("the addresses of a stream and of its messages", () => {
  live("are open only with the token", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const status = (path: string, method: string, headers: Record<string, string>) =>
        Effect.map(
          Effect.promise(() => send(at(url, path), { method, headers })),
          (answer) => answer.status
        )
      for (const [path, method] of [["/sse", "GET"] as const, ["/messages?sessionId=x", "POST"] as const]) {
        assert.strictEqual(yield* status(path, method, {}), 401)
        assert.strictEqual(yield* status(path, method, bearer("wrong")), 401)
        assert.strictEqual(yield* status(path, method, { ...bearer(me), host: "evil.example.com" }), 403)
        assert.strictEqual(yield* status(path, method, { ...bearer(me), origin: "http://evil.example.com" }), 403)
        assert.strictEqual(yield* status(path, "PUT", bearer(me)), 405)
      }
      const { answer, endpoint, post } = yield* streaming(at(url, "/sse"))
      assert.match(endpoint, /^\/messages\?sessionId=[\w-]{43}$/)
      assert.strictEqual((yield* post(request(1, "ping"), other)).status, 404)
      assert.strictEqual(yield* status(`${endpoint}x`, "POST", bearer(me)), 400)
      const { status: taken, text: said } = yield* post(request(1, "ping"))
      assert.deepStrictEqual([taken, said], [202, ""])
      assert.deepStrictEqual((yield* answer(1)).result, {})
      // It is no session of the other kind, nor one of those a stream's.
      const session = endpoint.slice(endpoint.indexOf("=") + 1)
      const wrong = yield* Effect.promise(() => ask(LEGACY, url, me, "ping", {}, { session }))
      assert.strictEqual(wrong.status, 404)
    })
  )

  live("refuse messages that are malformed, too large or repeated", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const { endpoint, post } = yield* streaming(at(url, "/sse"))
      for (const body of ["{nothing", "[]", "7", "{}", JSON.stringify([request(1, "ping")])]) {
        assert.strictEqual((yield* post(body)).status, 400, body)
      }
      const headers = { ...bearer(me), "content-length": String(LISTENER_CALL_MAX_BYTES + 1) }
      const large = yield* Effect.promise(() => send(at(url, endpoint), { headers }).catch(() => undefined))
      assert.isTrue(large === undefined || large.status === 413)
      yield* post(call(1, "wait"))
      yield* heard("begun")
      assert.strictEqual((yield* post(call(1, "echo"))).status, 400)
    })
  )

  live("are closed with the status of an error to a client that is not to be served", () =>
    Effect.gen(function* () {
      const serve = () => Effect.fail(new RequestRefused({ code: -32_050, message: "Not you" }))
      const { url } = yield* listening({ serve, named: true })
      for (const [path, status] of [["/sse", 403] as const, ["/sse/nobody", 404] as const]) {
        const answer = yield* Effect.promise(() => send(at(url, path), { method: "GET", headers: bearer(me) }))
        assert.strictEqual(answer.status, status)
        assert.deepInclude(answer.messages[0]?.error, { code: -32_050, message: "Not you" })
      }
    })
  )
})

describe("a stream", () => {
  live("is neither buffered nor cached by proxies", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const signal = yield* Effect.abortSignal
      const got = yield* Effect.promise(() => fetch(at(url, "/sse"), { headers: bearer(me), signal }))
      assert.strictEqual(got.headers.get("content-type"), "text/event-stream")
      assert.strictEqual(got.headers.get("cache-control"), "no-store")
      assert.strictEqual(got.headers.get("x-accel-buffering"), "no")
    })
  )
})

describe("streams of one token", () => {
  live("are so many, as sessions are: all of them are in use", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const open = yield* Effect.forEach(Array.from({ length: LISTENER_SESSIONS_EACH_MAX }), () =>
        streaming(at(url, "/sse"))
      )
      const knock = () => Effect.promise(() => send(at(url, "/sse"), { method: "GET", headers: bearer(me) }))
      assert.strictEqual((yield* knock()).status, 503)
      open[0]!.leave()
      yield* heard("left me")
      assert.match((yield* streaming(at(url, "/sse"))).endpoint, /sessionId=/)
    })
  )

  live("have so many requests under way each", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const { answer, post } = yield* streaming(at(url, "/sse"))
      for (let id = 1; id <= LISTENER_REQUESTS_MAX; id++) yield* post(call(id, "wait"))
      yield* heard("begun", LISTENER_REQUESTS_MAX)
      yield* post(call(1000, "echo"))
      assert.strictEqual((yield* answer(1000)).error?.code, -32_000)
    })
  )

  it.effect("say from time to time that they are there", () =>
    Effect.gen(function* () {
      const { url } = yield* listening()
      const { answer, post, text: said } = yield* streaming(at(url, "/sse"))
      yield* TestClock.adjust(LISTENER_KEEP_ALIVE_MS * 2)
      yield* post(request(1, "ping"))
      yield* answer(1)
      assert.lengthOf(said().match(/^: still here$/gm) ?? [], 2)
    }).pipe(Effect.scoped)
  )
})

describe("a stream that its client does not read", () => {
  const BIG = 32 * 1024 * 1024
  const big = { big: () => Effect.sync(() => text("x".repeat(BIG))) }

  const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

  /** Sends messages for a stream of which nothing is read but its beginning. */
  const unread = (url: string) =>
    Effect.gen(function* () {
      const opened = yield* Effect.callback<string>((resume) => {
        const sent = requestOf(at(url, "/sse"), { agent: false, headers: bearer(me) }, (got) => {
          got.on("error", () => {})
          got.once("data", (chunk: Buffer) => {
            got.pause()
            resume(Effect.succeed(chunk.toString()))
          })
        })
        sent.on("error", () => {}).end()
      })
      const endpoint = /data: (\S+)/.exec(opened)?.[1] ?? ""
      const headers = { "content-type": "application/json", ...bearer(me) }
      return (body: object) =>
        Effect.promise(() => send(at(url, endpoint), { headers, body: JSON.stringify(body) }).catch(() => undefined))
    })

  live("is cut off when too many answers are in it", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening({ tools: big })
      const post = yield* unread(url)
      for (let id = 1; id <= LISTENER_UNREAD_ANSWERS_MAX_BYTES / BIG + 1; id++) yield* post(call(id, "big"))
      yield* heard("left me")
    })
  )

  live("is cut off when there are too many news for it", () =>
    Effect.gen(function* () {
      const { changes, heard, url } = yield* listening()
      const post = yield* unread(url)
      const uri = "x".repeat(LISTENER_URI_MAX_CHARS)
      let said = 0
      const change = Effect.suspend(() => {
        said += uri.length
        return PubSub.publish(changes, { kind: "resource", uri })
      })
      yield* post(request(1, "resources/subscribe", { uri }))
      yield* Effect.raceFirst(heard("left me"), Effect.forever(Effect.andThen(change, turn)))
      // Far less than what answers may take: what is in between the two of us takes some of it.
      assert.isBelow(said, LISTENER_UNREAD_ANSWERS_MAX_BYTES / 2)
    })
  )

  it.effect("is not kept for long", () =>
    Effect.gen(function* () {
      const begun = makeNotes()
      const noted = {
        big: () =>
          Effect.andThen(
            Effect.sync(() => begun.note("big")),
            big.big()
          )
      }
      const { heard, lines, url } = yield* listening({ tools: noted })
      const post = yield* unread(url)
      yield* post(call(1, "big"))
      yield* begun.heard("big")
      yield* turn
      assert.notInclude(lines, "left me")
      yield* Effect.raceFirst(
        heard("left me"),
        Effect.forever(Effect.andThen(TestClock.adjust(LISTENER_UNREAD_MS), turn))
      )
    }).pipe(Effect.scoped)
  )
})
