import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import { Exchange } from "../../../../../src/layers/listener/McpListener/http/Exchange.ts"
import { EventStreams } from "../../../../../src/layers/listener/McpListener/http/responses.ts"
import type { SessionOptions } from "../../../../../src/layers/listener/McpListener/http/sessionServer.ts"
import { ClientQuota } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import { StreamSession } from "../../../../../src/layers/listener/McpListener/http/StreamSession.ts"
import { loadSdk } from "../../../../../src/layers/listener/McpListener/requests/sdk.ts"
import type { OfferChange } from "../../../../../src/services/listener/McpListener.ts"
import { serveFixture } from "../../../../fixtures/listener/offer.ts"
import { makeNotes } from "../../../../support/listener.ts"

/** A response that is read at once; what is written to it is noted. */
const reading = (note: (text: string) => void) =>
  Object.assign(new EventEmitter(), {
    destroyed: false,
    writableLength: 0,
    writableNeedDrain: false,
    closed: false,
    writeHead: () => {},
    flushHeaders: () => {},
    setTimeout: () => {},
    end: () => {},
    write: (text: string, done: () => void) => {
      note(text)
      done()
    }
  }) as unknown as ServerResponse

const opened = Effect.gen(function* () {
  const notes = makeNotes()
  const fixture = serveFixture({ note: notes.note, changes: yield* PubSub.unbounded<OfferChange>() })
  const holder = new ClientQuota()
  const scope = yield* Effect.scope
  const run = yield* FiberSet.makeRuntime()
  const who = { principal: "me", agent: undefined, only: undefined }
  const exchange = (response: ServerResponse) => new Exchange({ who, incoming: response.req, response, holder, run })
  const options: SessionOptions = {
    sdk: yield* loadSdk,
    id: "session",
    who,
    serve: fixture,
    label: (text) => text,
    quotaOf: () => holder,
    scope,
    run,
    open: new EventStreams(run),
    clock: yield* Clock.Clock,
    telemetry: { current: undefined },
    end: () => run(Scope.close(sessionScope, Exit.void))
  }
  const sessionScope = yield* Scope.fork(scope)
  const session = yield* Scope.provide(StreamSession.open(options, exchange(reading(notes.note))), sessionScope)
  session.begin()
  /** A message whose connection is closed at once, as it has no answer there. */
  const say = (body: object) => {
    const response = reading(() => {})
    const said = exchange(response)
    const { status } = session.answer(said, { jsonrpc: "2.0", ...body })
    response.emit("close")
    const ended = Effect.callback<void>((resume) => {
      Scope.addFinalizer(
        said.scope,
        Effect.sync(() => resume(Effect.void))
      ).pipe(Effect.runSync)
    })
    return { status, hasEnded: () => said.scope.state._tag === "Closed", ended }
  }
  const wait = (id: number) => say({ id, method: "tools/call", params: { name: "wait" } })
  return { ...notes, say, session, wait }
})

describe("what came with a request over a stream is kept", () => {
  it.live("until it is answered", () =>
    Effect.gen(function* () {
      const { ended } = (yield* opened).say({ id: 1, method: "ping" })
      yield* ended
    })
  )

  it.live("while it is worked on, until it is cancelled", () =>
    Effect.gen(function* () {
      const { heard, say, wait } = yield* opened
      const { ended, hasEnded } = wait(1)
      yield* heard("begun")
      assert.isFalse(hasEnded())
      assert.strictEqual(wait(1).status, 400)
      yield* say({ method: "notifications/cancelled", params: { requestId: 1 } }).ended
      yield* ended
      yield* heard("interrupted")
    })
  )

  it.live("until the session ends, at most", () =>
    Effect.gen(function* () {
      const { heard, session, wait } = yield* opened
      const { ended, hasEnded } = wait(1)
      yield* heard("begun")
      assert.isFalse(hasEnded())
      session.end()
      yield* ended
    })
  )

  it.live("no longer than it was said where nothing was asked", () =>
    Effect.gen(function* () {
      const { say } = yield* opened
      assert.isTrue(say({ method: "notifications/initialized" }).hasEnded())
      assert.isTrue(say({ id: 1 }).hasEnded())
    })
  )
})
