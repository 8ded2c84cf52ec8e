/** Orders that a gateway's agent places with itself, where nobody tells what they come out of. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { layerScripted } from "../../../../src/layers/agent/AgentGateway.ts"
import * as OrdersLayer from "../../../../src/layers/agent/Orders.ts"
import { makeUnderway } from "../../../../src/layers/agent/Orders/runningOrders.ts"
import * as SessionTools from "../../../../src/layers/agent/SessionTools.ts"
import { ORDER_TOLD_EVERY_MS } from "../../../../src/schemas/defaults/Orders.ts"
import { AgentGateway } from "../../../../src/services/agent/AgentGateway.ts"
import { McpRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { Orders } from "../../../../src/services/agent/Orders.ts"
import { ResultStore } from "../../../../src/services/call/ResultStore.ts"
import { sanitizer } from "../../../support/sanitizer.ts"
import { textResult, toolRuntime } from "../../../support/toolRuntime.ts"
import { ada, bob, order } from "./orders.ts"
import { inFolder as folder } from "../../../support/folder.ts"

const NAME = "self__order_openclaw"

const store = {
  keep: () => undefined,
  open: () => Effect.die(0),
  read: () => Effect.die(0),
  readAny: () => Effect.die(0),
  part: Effect.die(0),
  settled: Effect.void
}

/** The agent orders of itself whatever `next` gives, and the order comes back as one of somebody else. */
const round = (next: (message: string) => string) =>
  Effect.gen(function* () {
    const directory = yield* folder
    const worked: Array<string> = []
    const refused: Array<string> = []
    let again: (message: string) => Effect.Effect<unknown> = () => Effect.void
    const agent = layerScripted((message) => {
      worked.push(message)
      return worked.length > 9
        ? [{ say: "enough" }]
        : [{ call: NAME, args: { message: next(message) } }, { say: "done" }]
    })
    const gateway = Layer.effect(
      AgentGateway,
      Effect.map(AgentGateway, (known) => ({ ...known, elsewhere: true as const }))
    ).pipe(Layer.provide(agent))
    const tools = {
      [NAME]: {
        run: ({ message }: { readonly message?: unknown }) => Effect.as(again(String(message)), textResult("answered"))
      }
    }
    yield* Effect.gen(function* () {
      const { place } = yield* Orders
      again = (message) =>
        place(order(message), bob, { fromGateway: true }).pipe(
          Effect.tapError((error) => Effect.sync(() => refused.push(error.message))),
          Effect.ignore
        )
      yield* place(order("go"), ada)
    }).pipe(
      Effect.provide(
        OrdersLayer.layerWith({}, { directory }).pipe(
          Layer.provideMerge(gateway),
          Layer.provideMerge(SessionTools.layer),
          Layer.provideMerge(Layer.succeed(McpRuntime, toolRuntime(tools))),
          Layer.provideMerge(Layer.succeed(ResultStore, store)),
          Layer.provideMerge(sanitizer)
        )
      )
    )
    return { worked, refused, left: readdirSync(join(directory, "underway")) }
  }).pipe(Effect.scoped)

/** With time going on. */
const passing = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust(ORDER_TOLD_EVERY_MS)
    return yield* Fiber.join(fiber)
  })

describe("agent requests from an OpenClaw gateway without a known origin", () => {
  it.effect("are refused over the rate limit before their origin is looked up", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      makeUnderway(directory, (message) => message).begin({ chain: ["0123456789abcdef"], depth: 1 })
      yield* Effect.gen(function* () {
        const { place } = yield* Orders
        const ordered = (message: string) => place(order(message), bob, { fromGateway: true })
        yield* passing(ordered("1"))
        // No time goes on, and none is needed.
        assert.include((yield* Effect.flip(ordered("2"))).message, "a client may send 1 per minute")
      }).pipe(
        Effect.provide(
          OrdersLayer.layerWith({ perMinute: 1 }, { directory }).pipe(
            Layer.provideMerge(layerScripted(() => [{ say: "done" }])),
            Layer.provideMerge(SessionTools.layer),
            Layer.provideMerge(Layer.succeed(McpRuntime, toolRuntime({}))),
            Layer.provideMerge(Layer.succeed(ResultStore, store)),
            Layer.provideMerge(sanitizer)
          )
        )
      )
    }).pipe(Effect.scoped)
  )

  it.effect("can nest three times in one chain, and leave no files", () =>
    Effect.gen(function* () {
      const { left, refused, worked } = yield* passing(round((message) => `${message}!`))
      assert.deepStrictEqual(worked, ["go", "go!", "go!!"])
      assert.lengthOf(refused, 1)
      assert.include(refused[0], "more than 3 in one chain")
      assert.deepStrictEqual(left, [])
    })
  )

  it.effect("are refused when the same message comes back while it is in progress", () =>
    Effect.gen(function* () {
      const { refused, worked } = yield* passing(round((message) => message))
      assert.deepStrictEqual(worked, ["go"])
      assert.include(refused[0], "has come back to where it started")
    })
  )
})
