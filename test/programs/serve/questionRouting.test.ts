import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { heldByClient, processOf } from "../../../src/schemas/connection/Isolation.ts"
import { makeUnderway } from "../../../src/programs/serve/questionRouting.ts"
import { stdioConfig } from "../../support/connector.ts"
import { SERVE_LATE_ANSWERED_MS, SERVE_LATE_MS } from "../../../src/schemas/defaults/Serve.ts"
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
      (inner, where, index) => underway.during(where, { exchange: requests[index]!, client: "a" }, inner),
      look
    )
    assert.isUndefined(underway.only(speaking))
    return requests.findIndex((request) => request === found)
  })

describe("whom a server asks", () => {
  const asked = (underway: ReturnType<typeof makeUnderway>, server: typeof ONE) => underway.whom(server)

  it.effect("is nobody while a request of another client may be there, or was", () =>
    Effect.gen(function* () {
      const underway = makeUnderway({ oneClient: false, asksInAnswers: () => Effect.succeed(false) })
      const [one, other] = [exchanging().exchange, exchanging().exchange]
      const anywhere = new Set([processOf(ONE)])
      const beside = <A>(where: typeof ONE | ReadonlySet<string>, ask: Effect.Effect<A>) =>
        underway.during(where, { exchange: other, client: "other" }, ask)
      const asking = (server: typeof ONE) =>
        underway.during(server, { exchange: one, client: "one" }, asked(underway, server))
      assert.strictEqual(yield* beside(new Set([processOf(TWO)]), asking(ONE)), one)
      assert.strictEqual(yield* beside(anywhere, asking(ONE)), "clients have 2 requests under way there")
      assert.strictEqual(yield* asking(ONE), "it may be about a call of another client that has just ended")
      yield* TestClock.adjust(SERVE_LATE_MS)
      assert.strictEqual(yield* asking(ONE), one)
      assert.strictEqual(yield* underway.during(anywhere, { exchange: one, client: "one" }, asked(underway, ONE)), one)
    })
  )
})

describe("a call that is no client's", () => {
  const asksOne = (underway: ReturnType<typeof makeUnderway>, exchange: ReturnType<typeof exchanging>["exchange"]) =>
    underway.during(ONE, { exchange, client: "one" }, underway.whom(ONE))

  it.effect("leaves nobody to ask while it is under way, and for a while afterwards", () =>
    Effect.gen(function* () {
      const underway = makeUnderway({ oneClient: false, asksInAnswers: () => Effect.succeed(false) })
      const { exchange } = exchanging()
      assert.isString(yield* underway.unasked([ONE], underway.whom(ONE)))
      yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
      assert.isString(yield* underway.unasked([TWO, ONE], asksOne(underway, exchange)))
      assert.isString(yield* asksOne(underway, exchange))
      yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
      assert.strictEqual(yield* underway.unasked([TWO], asksOne(underway, exchange)), exchange)
    })
  )

  it.effect("is not taken for one of the only client", () =>
    Effect.gen(function* () {
      const underway = makeUnderway({ oneClient: true, asksInAnswers: () => Effect.succeed(false) })
      const { exchange } = exchanging()
      assert.isString(yield* underway.unasked([ONE], asksOne(underway, exchange)))
      assert.strictEqual(yield* asksOne(underway, exchange), exchange)
    })
  )
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

describe("a question", () => {
  const setUp = (oneClient = false) => {
    const underway = makeUnderway({ oneClient, asksInAnswers: () => Effect.succeed(false) })
    const own = exchanging().exchange
    /** Whether it is led to a request of `client`, while that is the only one at the first server. */
    const isAsked = (client: string) =>
      Effect.map(underway.during(ONE, { exchange: own, client }, underway.whom(ONE)), (whom) => whom === own)
    const over = (client: string, isOpen: boolean, server = ONE) =>
      underway.during(server, { exchange: exchanging().exchange, client }, Effect.void, () => isOpen)
    return { isAsked, over, underway }
  }

  it.effect("is nobody's for a moment after a call of another client was answered there", () =>
    Effect.gen(function* () {
      const { isAsked, over } = setUp()
      yield* over("a", false)
      assert.isFalse(yield* isAsked("b"))
      yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
      assert.isTrue(yield* isAsked("b"))
    })
  )

  it.effect("is nobody's for longer where the server may still work on that call, however it ended", () =>
    Effect.gen(function* () {
      for (const how of ["open", "failed"] as const) {
        const { isAsked, over, underway } = setUp()
        const failing = underway.during(ONE, { exchange: exchanging().exchange, client: "a" }, Effect.fail("gone"))
        yield* how === "open" ? over("a", true) : Effect.flip(failing)
        yield* over("a", false)
        yield* TestClock.adjust(SERVE_LATE_MS - 1)
        assert.isFalse(yield* isAsked("b"))
        yield* TestClock.adjust(1)
        assert.isTrue(yield* isAsked("b"))
      }
    })
  )

  it.effect("is the client's whose own call has ended, or another's at another server, or where there is but one", () =>
    Effect.gen(function* () {
      const { isAsked, over } = setUp()
      yield* over("a", true)
      assert.isTrue(yield* isAsked("a"))
      const elsewhere = setUp()
      yield* elsewhere.over("a", true, TWO)
      assert.isTrue(yield* elsewhere.isAsked("b"))
      const only = setUp(true)
      yield* only.over("a", true)
      assert.isTrue(yield* only.isAsked("b"))
    })
  )
})
