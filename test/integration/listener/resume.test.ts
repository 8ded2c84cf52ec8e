/** Clients up to 2025-11-25 whose connection breaks in the middle of an answer, and who come back. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { request, type ClientRequest } from "node:http"
import { LISTENER_EVENTS_EACH_MAX_CHARS, LISTENER_RESUME_MS } from "../../../src/schemas/Defaults.ts"
import { text } from "../../fixtures/listener/offer.ts"
import { listening, TOKENS } from "../../support/listener.ts"
import { begin, bearer, notify, send, sessionOf, textOf } from "../../support/rawHttp.ts"

const { me, other } = TOKENS

interface Begun {
  readonly session: string
  /** The last event that came, once there was one. */
  readonly last: Effect.Effect<string>
  readonly cut: () => void
  readonly sent: ClientRequest
}

/** A call of a tool, and what comes of it as it comes. */
const calling = (url: string, session: string, name: string, version = "2025-11-25") =>
  Effect.gen(function* () {
    let text = ""
    const heard = Promise.withResolvers<string>()
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": session,
      "mcp-protocol-version": version,
      ...bearer(me)
    }
    const sent = request(url, { method: "POST", agent: false, headers }, (got) => {
      got.on("error", () => {})
      got.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        const ids = [...text.matchAll(/^id: (\S+)$/gm)]
        if (ids.length > 0) heard.resolve(ids.at(-1)![1]!)
      })
    })
    sent.on("error", () => {})
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params: { name } }))
    yield* Effect.addFinalizer(() => Effect.sync(() => sent.destroy()))
    return {
      session,
      sent,
      last: Effect.promise(() => heard.promise),
      cut: () => void sent.destroy()
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

describe("a client whose connection breaks", () => {
  live("gets the answer when it comes back, which its request has gone on for", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const { lines, url } = yield* listening({ tools: { later } })
      const call = yield* calling(url, yield* opened(url), "later")
      const event = yield* call.last
      yield* began
      call.cut()
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
      const event = yield* call.last
      yield* began
      call.cut()
      yield* turns
      yield* open
      yield* turns
      for (let i = 0; i < 2; i++) {
        assert.strictEqual(textOf(yield* comeBack(url, call.session, event)), "late")
      }
    })
  )

  it.effect("and that does not come back has left after a while: then what it wanted is interrupted", () =>
    Effect.gen(function* () {
      const { heard, lines, url } = yield* listening()
      const call = yield* calling(url, yield* opened(url), "wait")
      yield* call.last
      yield* heard("begun")
      call.cut()
      yield* turns
      yield* TestClock.adjust(LISTENER_RESUME_MS - 1)
      yield* turns
      assert.notInclude(lines, "interrupted")
      yield* TestClock.adjust(1)
      yield* heard("interrupted")
    }).pipe(Effect.scoped)
  )

  it.effect("has left at once when it has not been told how to come back", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* listening()
      const call = yield* calling(url, yield* opened(url), "wait", "2025-06-18")
      yield* heard("begun")
      call.cut()
      yield* heard("interrupted")
    }).pipe(Effect.scoped)
  )

  it.effect("can take back what goes on, or end its session: then it ends at once", () =>
    Effect.gen(function* () {
      for (const how of ["cancel", "delete"]) {
        const { heard, url } = yield* listening()
        const call = yield* calling(url, yield* opened(url), "wait")
        yield* call.last
        yield* heard("begun")
        call.cut()
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

  live("is the only one that gets what it missed", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const { url } = yield* listening({ tools: { later } })
      const call = yield* calling(url, yield* opened(url), "later")
      const event = yield* call.last
      yield* began
      call.cut()
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

  live("is told so when the answer is too large to be kept", () =>
    Effect.gen(function* () {
      const { began, later, open } = yield* gated
      const large = () => Effect.as(later(), text("x".repeat(LISTENER_EVENTS_EACH_MAX_CHARS)))
      const { url } = yield* listening({ tools: { large } })
      const call = yield* calling(url, yield* opened(url), "large")
      const event = yield* call.last
      yield* began
      call.cut()
      yield* turns
      yield* open
      yield* turns
      assert.strictEqual((yield* comeBack(url, call.session, event)).status, 400)
    })
  )
})
