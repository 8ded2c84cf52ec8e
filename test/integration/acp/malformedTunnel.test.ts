/** Servers that the client itself is, where that is switched on: whatever it writes for them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeTunnel } from "../../../src/programs/acp/tunnel.ts"
import { inFull } from "../../support/full.ts"
import { makeDoor, opened, outcome, runtime, TUNNELLED, WAYS, withOneThingWrong } from "../../programs/acp/malformed.ts"

for (const way of WAYS) {
  describe(`what a client may write for a server that it is itself with ${way}`, () => {
    it.live("its shape is taken as it is; with one thing wrong in it: it is named to the person, or taken", () =>
      Effect.gen(function* () {
        const door = yield* makeDoor(way, makeTunnel())
        const before = opened.length
        assert.deepStrictEqual(yield* outcome(door, [{ ...TUNNELLED[0], name: "inside" }]), [])
        assert.deepStrictEqual(opened.slice(before), ["inside"])
        assert.isAbove(yield* withOneThingWrong(door, TUNNELLED), inFull(30, 5))
      }).pipe(Effect.scoped, Effect.provide(runtime))
    )
  })
}
