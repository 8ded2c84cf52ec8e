import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as PubSub from "effect/PubSub"
import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Exchange } from "../../../../../src/layers/listener/McpListener/http/Exchange.ts"
import type { Answer } from "../../../../../src/layers/listener/McpListener/http/httpMessages.ts"
import { EventStreams } from "../../../../../src/layers/listener/McpListener/http/responses.ts"
import { Sessions } from "../../../../../src/layers/listener/McpListener/http/Sessions.ts"
import { ClientQuota } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import { loadSdk } from "../../../../../src/layers/listener/McpListener/requests/sdk.ts"
import { LISTENER_SESSIONS_EACH_MAX } from "../../../../../src/schemas/defaults/Listener.ts"
import type { OfferChange } from "../../../../../src/services/listener/McpListener.ts"
import { serveFixture } from "../../../../fixtures/listener/offer.ts"
import { makeNotes } from "../../../../support/listener.ts"

/** The sessions of one token, whose turns come only when the test says so. */
const waiting = Effect.gen(function* () {
  const fixture = serveFixture({ note: makeNotes().note, changes: yield* PubSub.unbounded<OfferChange>() })
  const turns: Array<() => void> = []
  const quota = new ClientQuota()
  const pace = { ...quota.pace, large: () => new Promise<void>((resolve) => turns.push(resolve)) }
  const holder = Object.assign(quota, { pace })
  const run = yield* FiberSet.makeRuntime()
  const who = { principal: "me", agent: undefined, only: undefined }
  const sessions = new Sessions({
    sdk: yield* loadSdk,
    serve: fixture,
    label: (text) => text,
    quotaOf: () => holder,
    scope: yield* Effect.scope,
    run,
    open: new EventStreams(run),
    clock: yield* Clock.Clock,
    telemetry: { current: undefined },
    holders: 1
  })
  const exchange = () => {
    const response = Object.assign(new EventEmitter(), { destroyed: false, closed: false }) as unknown as ServerResponse
    return new Exchange({ who, incoming: {} as IncomingMessage, response, holder, run })
  }
  /** A stream of 2024-11-05 that is being opened. */
  const ask = () => {
    const asked = exchange()
    const answer = Effect.runPromise(sessions.stream(asked) as Effect.Effect<Answer | undefined>)
    return { answer, leave: () => asked.response.emit("close") }
  }
  return { ask, exchange, turns, sessions }
})

describe("sessions that are being opened", () => {
  it.live("take the places of their token", () =>
    Effect.gen(function* () {
      const { ask } = yield* waiting
      for (let i = 0; i < LISTENER_SESSIONS_EACH_MAX; i++) ask()
      const answer = yield* Effect.promise(() => ask().answer)
      assert.strictEqual(answer?.status, 503)
    }).pipe(Effect.scoped)
  )

  it.live("give them back when their clients leave, before they had their turn", () =>
    Effect.gen(function* () {
      const { ask, turns } = yield* waiting
      const all = Array.from({ length: LISTENER_SESSIONS_EACH_MAX }, ask)
      for (const { leave } of all) leave()
      for (const { answer } of all) yield* Effect.promise(() => answer)
      const before = turns.length
      ask()
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.strictEqual(turns.length, before + 1)
    }).pipe(Effect.scoped)
  )

  it.live("are not opened for clients that have left", () =>
    Effect.gen(function* () {
      const { ask, exchange, sessions, turns } = yield* waiting
      const left = exchange()
      left.response.emit("close")
      yield* sessions.stream(left) as Effect.Effect<Answer | undefined>
      assert.lengthOf(turns, 0)
      ask()
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.lengthOf(turns, 1)
    }).pipe(Effect.scoped)
  )
})
