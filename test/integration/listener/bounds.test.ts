/** What clients that mean no good, or are broken, make us keep: so much, and at nobody else's cost. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { request, type ClientRequest } from "node:http"
import { LISTENER_TASK_WAITERS_MAX, LISTENER_UNREAD_MS } from "../../../src/schemas/Defaults.ts"
import { text } from "../../fixtures/listener/offer.ts"
import { listening, TOKENS } from "../../support/listener.ts"
import { ask, bearer, begin, send, sessionOf, textOf, type Message } from "../../support/rawHttp.ts"

const { me, other } = TOKENS
const LEGACY = "2025-11-25"
const MODERN = "2026-07-28"
const BIG = 32 * 1024 * 1024

const live = <A>(name: string, body: () => Effect.Effect<A, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body()))

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {}
}

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
  live("are so much: then nothing more is taken of the holder of its token, and of others it is", () =>
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
