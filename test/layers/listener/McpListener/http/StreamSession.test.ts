import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as PubSub from "effect/PubSub"
import * as Scope from "effect/Scope"
import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import { Disconnect } from "../../../../../src/layers/listener/McpListener/http/Disconnect.ts"
import { ClientQuota } from "../../../../../src/layers/listener/McpListener/requests/ClientQuota.ts"
import { StreamSession } from "../../../../../src/layers/listener/McpListener/http/StreamSession.ts"
import { RequestRefused } from "../../../../../src/schemas/listener/ListenerError.ts"
import type { OfferChange } from "../../../../../src/services/listener/McpListener.ts"
import { serveFixture } from "../../../../fixtures/listener/offer.ts"
import { makeNotes } from "../../../../support/listener.ts"

/** A response that is read at once; what is written to it is noted. */
const reading = (note: (text: string) => void) =>
  Object.assign(new EventEmitter(), {
    destroyed: false,
    writableLength: 0,
    writableNeedDrain: false,
    writeHead: () => {},
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
  const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/server"))
  const session = yield* Effect.promise(async () =>
    StreamSession.open(
      {
        sdk,
        id: "session",
        who: { principal: "me", agent: undefined, only: undefined },
        serve: fixture,
        label: (text) => text,
        read: async () => {},
        resumed: () => {},
        quotaOf: () => holder,
        scope: Scope.makeUnsafe(),
        run: (effect) => Effect.runFork(effect),
        ended: () => {}
      },
      reading(notes.note)
    )
  )
  if (session instanceof RequestRefused) return yield* session
  session.begin()
  /** A message whose connection is closed at once, as it has no answer there. */
  const say = (body: object) => {
    const away = new Disconnect()
    const { status } = session.answer({ jsonrpc: "2.0", ...body }, away)
    away.leave()
    return { status, signal: away.signal, ended: Effect.promise(() => away.ended) }
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
      const { ended, signal } = wait(1)
      yield* heard("begun")
      assert.isFalse(signal.aborted)
      assert.strictEqual(wait(1).status, 400)
      yield* say({ method: "notifications/cancelled", params: { requestId: 1 } }).ended
      yield* ended
      yield* heard("interrupted")
    })
  )

  it.live("or until the session ends", () =>
    Effect.gen(function* () {
      const { heard, session, wait } = yield* opened
      const { ended, signal } = wait(1)
      yield* heard("begun")
      assert.isFalse(signal.aborted)
      session.end()
      yield* ended
    })
  )

  it.live("and no longer than it was said where nothing was asked", () =>
    Effect.gen(function* () {
      const { say } = yield* opened
      assert.isTrue(say({ method: "notifications/initialized" }).signal.aborted)
      assert.isTrue(say({ id: 1 }).signal.aborted)
    })
  )
})
