/** Whom a server asks that clients of several nodes use: the client of the only call, or nobody. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import * as FarHostLayer from "../../../src/layers/fleet/FarHost.ts"
import * as HomeCallersLayer from "../../../src/layers/fleet/HomeCallers.ts"
import { poolKeyOf } from "../../../src/schemas/connection/Isolation.ts"
import { ConnectionLost, ProtocolError } from "../../../src/schemas/connection/RequestError.ts"
import { SERVE_LATE_ANSWERED_MS, SERVE_LATE_MS } from "../../../src/schemas/defaults/Serve.ts"
import { HostFeatures } from "../../../src/services/content/HostFeatures.ts"
import { type HomeCaller, HomeCallers, OwnCaller } from "../../../src/services/fleet/HomeServers.ts"
import { quiet } from "../../support/fleetStores.ts"
import { serverConfig } from "../../support/serverConfig.ts"

const SERVER = serverConfig("files")
const DECLINED = { action: "decline" }

const answers = (node: string) => () => Effect.succeed({ node })
const [two, three] = ["two", "three"].map((node): HomeCaller => ({ node, ask: answers(node) })) as [
  HomeCaller,
  HomeCaller
]
const here: HomeCaller = { node: "one" }

const layer = FarHostLayer.layer.pipe(
  Layer.provide(Layer.mock(HostFeatures)({ capabilities: () => ({}), answer: answers("one") })),
  Layer.provideMerge(HomeCallersLayer.layer),
  Layer.merge(quiet)
)

const asked = (method = "elicitation/create", server = SERVER) =>
  Effect.flatMap(HostFeatures, ({ answer }) => answer(server, method, {}))

const during = <A, E, R>(caller: HomeCaller, call: Effect.Effect<A, E, R>) =>
  Effect.flatMap(HomeCallers, ({ calling }) => calling(poolKeyOf(SERVER), caller, call))

describe("a question of a server that lives at a node", () => {
  it.effect("reaches the node of the only call", () =>
    Effect.gen(function* () {
      for (const caller of [two, here, two]) {
        assert.deepStrictEqual(yield* during(caller, asked()), { node: caller.node })
        yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("reaches nobody while there are two calls, wherever they come from", () =>
    Effect.gen(function* () {
      for (const [one, other] of [
        [here, two],
        [two, here],
        [two, three],
        [two, two]
      ] as const) {
        assert.deepStrictEqual(yield* during(one, during(other, asked())), DECLINED)
      }
      const sampling = yield* Effect.flip(during(here, during(two, asked("sampling/createMessage"))))
      assert.strictEqual(sampling.message, "there is no client to ask")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "reaches nobody when a call of another node has just ended, and for longer if its server may still work on it",
    () =>
      Effect.gen(function* () {
        const lost = (maybeExecuted: boolean) => new ConnectionLost({ server: "files", detail: "gone", maybeExecuted })
        const answered = new ProtocolError({ server: "files", code: -32603, detail: "no" })
        for (const [end, lateMs] of [
          [Effect.void, SERVE_LATE_ANSWERED_MS],
          [Effect.fail(answered), SERVE_LATE_ANSWERED_MS],
          [Effect.fail(lost(false)), SERVE_LATE_ANSWERED_MS],
          [Effect.fail(lost(true)), SERVE_LATE_MS],
          [Effect.interrupt, SERVE_LATE_MS]
        ] as const) {
          for (const [first, second] of [
            [two, here],
            [here, two],
            [two, three]
          ] as const) {
            yield* Effect.exit(during(first, end as Effect.Effect<void, unknown>))
            yield* TestClock.adjust(lateMs - 1)
            const asking = during(second, Effect.exit(asked()))
            assert.deepStrictEqual(yield* asked(), DECLINED)
            assert.deepStrictEqual(yield* asking, Exit.succeed(DECLINED))
            yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
            assert.deepStrictEqual(yield* asking, Exit.succeed({ node: second.node }))
            yield* TestClock.adjust(SERVE_LATE_ANSWERED_MS)
          }
        }
      }).pipe(Effect.provide(layer))
  )

  it.effect("in its answer to a call is for nobody else, whatever else is under way", () =>
    Effect.gen(function* () {
      for (const caller of [here, two, three]) {
        const inAnswer = Effect.provideService(during(caller, asked()), OwnCaller, caller)
        assert.deepStrictEqual(yield* during(here, during(two, inAnswer)), { node: caller.node })
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("is answered here if it is about directories, or its server is one that no other node uses", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* during(two, asked("roots/list")), { node: "one" })
      const own = serverConfig("own")
      assert.deepStrictEqual(yield* during(two, asked("elicitation/create", own)), { node: "one" })
    }).pipe(Effect.provide(layer))
  )
})
