/**
 * Whatever a client writes into `mcpServers`, of a new session and of one that it opens again: a session that works, has the
 * entries that are right, and tells the person of each one that is not.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inFull } from "../../support/full.ts"
import { generator } from "../../support/random.ts"
import { cwd } from "./live.ts"
import {
  makeDoor,
  mutated,
  opened,
  outcome,
  runtime,
  STABLE,
  TUNNELLED,
  valid,
  WAYS,
  withOneThingWrong
} from "./malformed.ts"

for (const way of WAYS) {
  describe(`mcpServers in ${way}`, () => {
    it.live("may have each shape of the schema", () =>
      Effect.gen(function* () {
        assert.lengthOf(STABLE, 3)
        const door = yield* makeDoor(way)
        const before = opened.length
        assert.deepStrictEqual(
          yield* outcome(
            door,
            STABLE.map((_, index) => valid(index, `s${index}`))
          ),
          []
        )
        assert.sameMembers(opened.slice(before), ["s0", "s1", "s2"])
      }).pipe(Effect.scoped, Effect.provide(runtime))
    )

    it.live("with one change anywhere are accepted, or reported to the user", () =>
      Effect.gen(function* () {
        assert.isAbove(yield* withOneThingWrong(yield* makeDoor(way), STABLE), inFull(500, 40))
      }).pipe(Effect.scoped, Effect.provide(runtime))
    )

    it.live("with several malformed entries start all valid entries, and report the others", () =>
      Effect.gen(function* () {
        const door = yield* makeDoor(way)
        for (let seed = 1; seed <= inFull(300, 50); seed++) {
          const random = generator(seed)
          const wrong = new Set<number>()
          const entries = Array.from({ length: 1 + random.below(5) }, (_, index) => {
            const entry = valid(random.below(3), `s${index}`)
            if (random.chance(0.4)) return entry
            wrong.add(index)
            return mutated(random, entry)
          })
          const before = opened.length
          for (const about of yield* outcome(door, entries)) assert.isTrue(wrong.has(about), `seed ${seed}`)
          const right = entries.flatMap((_, index) => (wrong.has(index) ? [] : [`s${index}`]))
          assert.includeMembers(opened.slice(before), right, `seed ${seed}`)
        }
      }).pipe(Effect.scoped, Effect.provide(runtime))
    )

    it.live("of type acp are refused, in any shape, while that is not enabled", () =>
      Effect.gen(function* () {
        assert.lengthOf(TUNNELLED, 1)
        const door = yield* makeDoor(way)
        assert.deepStrictEqual(yield* outcome(door, [valid(0, "first"), TUNNELLED[0]!]), [1])
        assert.isAbove(yield* withOneThingWrong(door, TUNNELLED), inFull(50, 4))
      }).pipe(Effect.scoped, Effect.provide(runtime))
    )
  })
}

describe("an open session that is opened again with mcpServers that are not a list", () => {
  it.live("stays usable", () =>
    Effect.gen(function* () {
      const { ask, known } = yield* makeDoor("session/new")
      const sessionId = yield* known
      const again = (way: string, mcpServers: unknown) => ask(way, { sessionId, cwd, mcpServers })
      assert.isUndefined((yield* again("session/resume", [])).error)
      for (const way of WAYS.slice(1)) {
        assert.strictEqual((yield* again(way, { name: "x" })).error?.code, -32602)
        const turn = yield* ask("session/prompt", { sessionId, prompt: [{ type: "text", text: "go" }] })
        assert.deepStrictEqual(turn.result, { stopReason: "end_turn" })
      }
    }).pipe(Effect.scoped, Effect.provide(runtime))
  )
})
