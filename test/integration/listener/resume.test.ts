/** Clients up to 2025-11-25 whose connection breaks in the middle of an answer, and who come back. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { createServer, request, type ClientRequest, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import {
  LISTENER_AWAY_MAX,
  LISTENER_EVENTS_EACH_MAX_CHARS,
  LISTENER_EVENTS_MAX_CHARS,
  LISTENER_LOG_MAX_CHARS,
  LISTENER_RESUME_MS,
  LISTENER_UNREAD_ANSWERS_MAX_BYTES,
  LISTENER_URI_MAX_CHARS
} from "../../../src/schemas/defaults/Listener.ts"
import type { JsonObject } from "../../../src/schemas/data/Json.ts"
import type { RequestContext } from "../../../src/services/listener/McpListener.ts"
import { text } from "../../fixtures/listener/offer.ts"
import { listening, TOKENS } from "../../support/listener.ts"
import { connected } from "../../support/mcpClients.ts"
import { ask, begin, bearer, notify, send, sessionOf, textOf } from "../../support/rawHttp.ts"

const { me, other } = TOKENS

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

interface Begun {
  readonly session: string
  /** The first event, once it has come. */
  readonly first: Effect.Effect<string>
  /** Breaks its connection; done when the listener has seen that. */
  readonly cut: Effect.Effect<void>
  readonly sent: ClientRequest
}

/** What Node says when a request has come to a server of this process. */
const ARRIVED = "http.server.request.start"
const MARK = "x-of-the-test"

/** Done when the listener, which is in this process, has seen that the connection of the request with this mark is gone. */
const seenGone = (mark: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const gone = Promise.withResolvers<void>()
        const look = (said: unknown) => {
          const { request: got, response } = said as { request: IncomingMessage; response: ServerResponse }
          if (got.headers[MARK] === mark) response.once("close", gone.resolve)
        }
        subscribe(ARRIVED, look)
        return { gone: gone.promise, look }
      }),
      ({ look }) => Effect.sync(() => unsubscribe(ARRIVED, look))
    ),
    ({ gone }) => Effect.promise(() => gone)
  )

/** A call of a tool, and what comes of it as it comes. */
const calling = (url: string, session: string, name: string, version = "2025-11-25", id = 7) =>
  Effect.gen(function* () {
    let text = ""
    const heard = Promise.withResolvers<string>()
    const mark = randomUUID()
    const gone = yield* seenGone(mark)
    const headers = {
      ...json,
      [MARK]: mark,
      "mcp-session-id": session,
      "mcp-protocol-version": version,
      ...bearer(me)
    }
    const sent = request(url, { method: "POST", agent: false, headers }, (got) => {
      got.on("error", () => {})
      got.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        const [, id] = /^id: (\S+)$/m.exec(text.slice(0, 1_024)) ?? []
        if (id !== undefined) heard.resolve(id)
      })
    })
    sent.on("error", () => {})
    sent.end(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name } }))
    yield* Effect.addFinalizer(() => Effect.sync(() => sent.destroy()))
    return {
      session,
      sent,
      first: Effect.promise(() => heard.promise),
      cut: Effect.andThen(
        Effect.sync(() => sent.destroy()),
        gone
      )
    } satisfies Begun
  })

const comeBack = (url: string, session: string, event: string, token = me) =>
  Effect.promise(() =>
    send(url, {
      method: "GET",
      headers: {
        accept: "text/event-stream",
        "mcp-session-id": session,
        "mcp-protocol-version": "2025-11-25",
        "last-event-id": event,
        ...bearer(token)
      }
    })
  )

const opened = (url: string, token = me) =>
  Effect.map(
    Effect.promise(() => begin(url, token)),
    sessionOf
  )

/** A tool that waits, and says when it has begun. */
const gated = Effect.gen(function* () {
  const [began, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  return {
    later: () => Deferred.succeed(began, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as(text("late"))),
    began: Deferred.await(began),
    open: Deferred.succeed(gate, undefined)
  }
})

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

/** Lets the listener see what has become of connections. */
const turns = Effect.promise(async () => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
})

/** What lies between a client and us, and breaks when it is told to. */
const fragile = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { host, port } = new URL(url)
        const server = createServer((incoming, outgoing) => {
          const { headers, method = "", url: path = "" } = incoming
          const onward = request({ port, path, method, headers: { ...headers, host }, agent: false }, (got) => {
            outgoing.writeHead(got.statusCode ?? 500, got.headers)
            got.on("error", () => {})
            got.pipe(outgoing)
          })
          onward.on("error", () => outgoing.destroy())
          outgoing.on("close", () => onward.destroy())
          incoming.pipe(onward)
        })
        server.listen(0, "127.0.0.1")
        await once(server, "listening")
        return server
      }),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    ),
    (server) => ({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
      cut: Effect.sync(() => server.closeAllConnections())
    })
  )

describe("a client whose connection breaks", () => {
  live("reconnects by itself if it is the SDK's", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const { lines, url } = yield* listening({ tools: { later } })
      const between = yield* fragile(url)
      const client = yield* connected("2025-11-25", { url: between.url, token: me })
      const told = Promise.withResolvers<string>()
      const answer = client.call("later", {}, { onresumptiontoken: told.resolve })
      yield* began
      yield* Effect.promise(() => told.promise)
      yield* between.cut
      yield* turns
      yield* open
      assert.include(JSON.stringify(yield* Effect.promise(() => answer)), "late")
      assert.notInclude(lines, "interrupted")
    })
  )

  live("reconnects also when the next connection breaks before anything came on it", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const { url } = yield* listening({ tools: { later } })
      const between = yield* fragile(url)
      const client = yield* connected("2025-11-25", { url: between.url, token: me })
      const told = [Promise.withResolvers<string>(), Promise.withResolvers<string>()] as const
      let count = 0
      const answer = client.call("later", {}, { onresumptiontoken: (token) => told[count++]?.resolve(token) })
      yield* began
      const first = yield* Effect.promise(() => told[0].promise)
      yield* between.cut
      assert.strictEqual(yield* Effect.promise(() => told[1].promise), first)
      yield* between.cut
      yield* turns
      yield* open
      assert.include(JSON.stringify(yield* Effect.promise(() => answer)), "late")
    })
  )

  live("gets the answer when it comes back, which its request has gone on for", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const { lines, url } = yield* listening({ tools: { later } })
      const call = yield* calling(url, yield* opened(url), "later")
      const event = yield* call.first
      yield* began
      yield* call.cut
      yield* turns
      const back = yield* Effect.forkChild(comeBack(url, call.session, event), { startImmediately: true })
      yield* turns
      yield* open
      const answer = yield* Fiber.join(back)
      assert.strictEqual(answer.messages.at(-1)?.id, 7)
      assert.strictEqual(textOf(answer), "late")
      assert.notInclude(lines, "interrupted")
    })
  )

  live("gets the answer that was given meanwhile, again and again", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const { url } = yield* listening({ tools: { later } })
      const call = yield* calling(url, yield* opened(url), "later")
      const event = yield* call.first
      yield* began
      yield* call.cut
      yield* turns
      yield* open
      yield* turns
      for (let i = 0; i < 2; i++) {
        assert.strictEqual(textOf(yield* comeBack(url, call.session, event)), "late")
      }
    })
  )

  it.effect("has left when it does not come back for a while: then what it wanted is interrupted", () =>
    Effect.gen(function* () {
      const { heard, lines, url } = yield* listening()
      const call = yield* calling(url, yield* opened(url), "wait")
      yield* call.first
      yield* heard("begun")
      yield* call.cut
      yield* turns
      yield* TestClock.adjust(LISTENER_RESUME_MS - 1)
      yield* turns
      assert.notInclude(lines, "interrupted")
      yield* TestClock.adjust(1)
      yield* heard("interrupted")
    }).pipe(Effect.scoped)
  )

  it.effect("has so many requests that go on: one more has left at once", () =>
    Effect.gen(function* () {
      const { heard, lines, url } = yield* listening()
      const session = yield* opened(url)
      const cutOff = (id: number) =>
        Effect.gen(function* () {
          const call = yield* calling(url, session, "wait", "2025-11-25", id)
          yield* call.first
          yield* heard("begun", id)
          yield* call.cut
          yield* turns
        })
      for (let id = 1; id <= LISTENER_AWAY_MAX; id++) yield* cutOff(id)
      assert.notInclude(lines, "interrupted")
      yield* cutOff(LISTENER_AWAY_MAX + 1)
      yield* heard("interrupted")
      yield* TestClock.adjust(LISTENER_RESUME_MS)
      yield* heard("interrupted", LISTENER_AWAY_MAX + 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is gone at once if it has no event id to resume from", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const call = yield* calling(url, yield* opened(url), "wait", "2025-06-18")
      yield* heard("begun")
      yield* call.cut
      yield* heard("interrupted")
    }).pipe(Effect.scoped)
  )

  it.effect("can take back what goes on, or end its session: then it ends at once", () =>
    Effect.gen(function* () {
      for (const how of ["cancel", "delete"]) {
        const { heard, url } = yield* listening()
        const call = yield* calling(url, yield* opened(url), "wait")
        yield* call.first
        yield* heard("begun")
        yield* call.cut
        yield* turns
        yield* Effect.promise(() =>
          how === "cancel"
            ? notify(url, me, call.session, "notifications/cancelled", { requestId: 7 })
            : send(url, { method: "DELETE", headers: { "mcp-session-id": call.session, ...bearer(me) } })
        )
        yield* heard("interrupted")
      }
    }).pipe(Effect.scoped)
  )

  live("is the only one that gets the missed messages", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const { url } = yield* listening({ tools: { later } })
      const call = yield* calling(url, yield* opened(url), "later")
      const event = yield* call.first
      yield* began
      yield* call.cut
      yield* open
      yield* turns
      assert.strictEqual((yield* comeBack(url, call.session, event, other)).status, 404)
      for (const session of [yield* opened(url, me), yield* opened(url, other)]) {
        const token = session === call.session ? other : me
        const { status, text: said } = yield* comeBack(url, session, event, token)
        assert.include([400, 404], status)
        assert.notInclude(said, "late")
      }
      const [secret = "", index = "", count = ""] = event.split("-")
      for (const wrong of ["", "x", `${secret}-${index}`, `${secret}-9-${count}`, `0-${index}-${count}`, `${event}x`]) {
        const { status, text: said } = yield* comeBack(url, call.session, wrong === "" ? "-" : wrong)
        assert.strictEqual(status, 400)
        assert.notInclude(said, "late")
      }
    })
  )

  live("gets an error while other sessions of its token use all space; the space is freed when they end", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const size = LISTENER_EVENTS_EACH_MAX_CHARS - 2_048
      const large = () => Effect.succeed(text("x".repeat(size)))
      const { url } = yield* listening({ tools: { large, late: () => Effect.andThen(later(), large()) } })
      yield* open
      const back = Effect.gen(function* () {
        const call = yield* calling(url, yield* opened(url), "late")
        const event = yield* call.first
        yield* began
        yield* call.cut
        yield* turns
        const headers = {
          accept: "text/event-stream",
          "mcp-session-id": call.session,
          "last-event-id": event,
          ...bearer(me)
        }
        return yield* Effect.promise(async () => {
          const { body, status } = await fetch(url, { headers })
          await body?.cancel()
          return status
        })
      })
      const sessions = yield* Effect.all(
        Array.from({ length: LISTENER_EVENTS_MAX_CHARS / LISTENER_EVENTS_EACH_MAX_CHARS }, () => opened(url))
      )
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "large" } })
      for (const session of sessions) {
        // As it comes: it is large.
        const headers = { ...json, ...bearer(me), "mcp-session-id": session }
        yield* Effect.promise(async () => (await fetch(url, { method: "POST", headers, body })).arrayBuffer())
      }
      assert.strictEqual(yield* back, 400)
      for (const session of sessions) {
        yield* Effect.promise(() =>
          send(url, { method: "DELETE", headers: { "mcp-session-id": session, ...bearer(me) } })
        )
      }
      assert.strictEqual(yield* back, 200)
    })
  )

  live("gets an error if the answer is too large to be kept", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const large = () => Effect.as(later(), text("x".repeat(LISTENER_EVENTS_EACH_MAX_CHARS)))
      const { url } = yield* listening({ tools: { large } })
      const call = yield* calling(url, yield* opened(url), "large")
      const event = yield* call.first
      yield* began
      yield* call.cut
      yield* turns
      yield* open
      yield* turns
      assert.strictEqual((yield* comeBack(url, call.session, event)).status, 400)
    })
  )
})

describe("a client that comes back and does not read", () => {
  const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

  /** Comes back to this, and takes nothing of what it gets until it reads. */
  const silent = (url: string, session: string, event: string) =>
    Effect.callback<{ readonly status: number | undefined; readonly read: Effect.Effect<number> }>((resume) => {
      const headers = { accept: "text/event-stream", "mcp-session-id": session, "last-event-id": event, ...bearer(me) }
      const sent = request(url, { agent: false, headers }, (got) => {
        got.on("error", () => {}).pause()
        const read = Effect.callback<number>((done) => {
          let bytes = 0
          got.on("data", (chunk: Buffer) => (bytes += chunk.length)).resume()
          got.once("close", () => done(Effect.succeed(bytes)))
        })
        resume(Effect.succeed({ status: got.statusCode, read }))
      })
      sent.on("error", () => {}).end()
    })

  /** The name of an event that the stream of a session has. */
  const eventOf = (url: string, session: string, change: Effect.Effect<unknown>) =>
    Effect.callback<string>((resume) => {
      const away = new AbortController()
      const headers = { accept: "text/event-stream", "mcp-session-id": session, ...bearer(me) }
      const onText = (said: string) => {
        const [, event] = /^id: (\S+)$/m.exec(said) ?? []
        if (event === undefined) return
        away.abort()
        resume(Effect.succeed(event))
      }
      const onOpen = () => void Effect.runFork(change)
      void send(url, { method: "GET", headers, onText, onOpen, signal: away.signal }).catch(() => {})
    })

  live("is cut off from the news when there are too many for it", () =>
    Effect.gen(function* () {
      const { changes, url } = yield* listening()
      const session = yield* opened(url)
      const uri = "x".repeat(LISTENER_URI_MAX_CHARS)
      const change = PubSub.publish(changes, { kind: "resource", uri })
      yield* Effect.promise(() => ask("2025-11-25", url, me, "resources/subscribe", { uri }, { session }))
      const { read, status } = yield* silent(url, session, yield* eventOf(url, session, change))
      assert.strictEqual(status, 200)
      const most = 2 * LISTENER_UNREAD_ANSWERS_MAX_BYTES
      for (let said = 0; said < most; said += uri.length) yield* change
      yield* turns
      // Of a stream that is not cut off, the end would not come.
      assert.isBelow(yield* read, most)
    })
  )

  live("is not sent more of its request than it reads", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const word = "x".repeat(LISTENER_LOG_MAX_CHARS)
      const count = 4_000
      const told = yield* Deferred.make<void>()
      const chatter = (_: JsonObject, { log }: RequestContext) =>
        Effect.gen(function* () {
          yield* later()
          for (let i = 0; i < count; i++) {
            log({ level: "error", data: word })
            yield* turn
          }
          yield* Deferred.succeed(told, undefined)
          return text("said")
        })
      const { url } = yield* listening({ tools: { chatter } })
      const call = yield* calling(url, yield* opened(url), "chatter")
      const event = yield* call.first
      yield* began
      yield* call.cut
      yield* turns
      const { read, status } = yield* silent(url, call.session, event)
      assert.strictEqual(status, 200)
      yield* open
      yield* Deferred.await(told)
      assert.isBelow(yield* read, (count * word.length) / 2)
    })
  )
})
