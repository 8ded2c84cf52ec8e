import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { heldByClient } from "../../../src/schemas/Isolation.ts"
import { makeUnderway } from "../../../src/programs/serve/underway.ts"
import { stdioConfig } from "../../support/connector.ts"
import { exchanging } from "./live.ts"

const ONE = stdioConfig("one", [], { name: "one" })
const TWO = stdioConfig("two", [], { name: "two" })

/** Whom it tells what a server says: the first of two requests, the second, or nobody. */
const told = (oneClient: boolean, wheres: ReadonlyArray<typeof ONE>, speaking = ONE) =>
  Effect.gen(function* () {
    const requests = [exchanging().exchange, exchanging().exchange]
    const underway = makeUnderway({
      oneClient,
      asksInAnswers: () => Effect.succeed(false)
    })
    let found: unknown
    const look = Effect.sync(() => {
      found = underway.only(speaking)
    })
    yield* wheres.reduce<Effect.Effect<void>>(
      (inner, where, index) => underway.during(where, requests[index]!, inner),
      look
    )
    assert.isUndefined(underway.only(speaking))
    return requests.findIndex((request) => request === found)
  })

describe("what a server says for a log", () => {
  it.effect("is about the request that is alone there", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told(true, [ONE]), 0)
      assert.strictEqual(yield* told(true, [TWO, ONE]), 1)
    })
  )

  it.effect("is about none when there is none, or more than one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told(true, []), -1)
      assert.strictEqual(yield* told(true, [TWO]), -1)
      assert.strictEqual(yield* told(true, [ONE, ONE]), -1)
    })
  )

  it.effect("is not for where there are other clients: it may be about what one of them did before", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* told(false, [ONE]), -1)
    })
  )

  it.effect("of a server of a client's own is for the request of that client, and not of others at theirs", () =>
    Effect.gen(function* () {
      const of = (session: string) => heldByClient(ONE, "session", { principal: "one", session })
      const [mine, theirs] = [of("mine"), of("theirs")]
      assert.strictEqual(yield* told(false, [mine, theirs], mine), 0)
      assert.strictEqual(yield* told(false, [theirs, mine], mine), 1)
      assert.strictEqual(yield* told(false, [theirs], mine), -1)
      assert.strictEqual(yield* told(false, [mine, mine], mine), -1)
    })
  )
})
