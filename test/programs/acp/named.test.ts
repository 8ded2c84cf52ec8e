/** Sessions that a client names in `_meta`. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sessionsFor } from "../../../src/programs/acp/agent.ts"
import { AgentGateway } from "../../../src/services/agent/AgentGateway.ts"
import { client, cwd, live, text } from "./live.ts"

const signal = new AbortController().signal
const asked = (meta?: unknown) => ({ cwd, mcpServers: [], meta })
const turnsOf = (sessionId: string) =>
  Effect.gen(function* () {
    return (yield* (yield* AgentGateway).load(sessionId))?.turns.length ?? 0
  })

describe("a session that the client names", () => {
  const told = client()
  const begun = Effect.gen(function* () {
    const sessions = yield* sessionsFor(told.door)
    const { sessionId } = yield* sessions.create(asked({ sessionKey: "k" }))
    yield* sessions.prompt(sessionId, text("first words"), signal)
    return { sessions, sessionId }
  })
  const script = [[{ say: "hi" }], [{ say: "again" }]] as const

  it.effect("by its key continues that conversation, and no other", () =>
    Effect.gen(function* () {
      const { sessionId, sessions } = yield* begun
      yield* sessions.close(sessionId)
      assert.strictEqual((yield* sessions.create(asked({ sessionKey: "k" }))).sessionId, sessionId)
      yield* sessions.prompt(sessionId, text("more"), signal)
      assert.strictEqual(yield* turnsOf(sessionId), 2)
      for (const meta of [{ sessionKey: "K" }, {}, undefined, { sessionKey: 1 }]) {
        assert.notStrictEqual((yield* sessions.create(asked(meta))).sessionId, sessionId)
      }
    }).pipe(Effect.scoped, Effect.provide(live(script)))
  )

  it.effect("by its label is the one that is listed so, or an error", () =>
    Effect.gen(function* () {
      const { sessionId, sessions } = yield* begun
      assert.strictEqual((yield* sessions.create(asked({ sessionLabel: "first words" }))).sessionId, sessionId)
      const error = yield* Effect.flip(sessions.create(asked({ sessionLabel: "other words" })))
      assert.deepInclude(error, { code: -32602, message: "no session has the title of _meta.sessionLabel" })
    }).pipe(Effect.scoped, Effect.provide(live(script)))
  )

  for (const way of ["create", "load", "resume"] as const) {
    it.effect(`starts over with resetSession (${way})`, () =>
      Effect.gen(function* () {
        const { sessionId, sessions } = yield* begun
        const meta = asked({ sessionKey: "k", resetSession: true })
        yield* way === "create" ? sessions.create(meta) : sessions[way](sessionId, meta)
        assert.strictEqual(yield* turnsOf(sessionId), 0)
        yield* sessions.prompt(sessionId, text("anew"), signal)
        assert.strictEqual(yield* turnsOf(sessionId), 1)
      }).pipe(Effect.scoped, Effect.provide(live(script)))
    )
  }

  it.effect("is not loaded under the id of another", () =>
    Effect.gen(function* () {
      const { sessionId, sessions } = yield* begun
      const error = yield* Effect.flip(sessions.load(sessionId, asked({ sessionKey: "other" })))
      assert.deepInclude(error, { code: -32602 })
      assert.match(error.message, /^_meta names another session than sessionId: /)
      yield* sessions.load(sessionId, asked({ sessionKey: "k" }))
    }).pipe(Effect.scoped, Effect.provide(live(script)))
  )
})
