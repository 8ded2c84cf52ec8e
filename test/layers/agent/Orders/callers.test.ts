import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerScripted } from "../../../../src/layers/agent/AgentGateway.ts"
import * as OrdersLayer from "../../../../src/layers/agent/Orders.ts"
import * as SessionTools from "../../../../src/layers/agent/SessionTools.ts"
import type { Caller } from "../../../../src/schemas/call/Caller.ts"
import { Orders } from "../../../../src/services/agent/Orders.ts"
import { McpRuntime, type WholeRuntime } from "../../../../src/services/call/McpRuntime.ts"
import { ResultStore } from "../../../../src/services/call/ResultStore.ts"
import { sanitizer } from "../../../support/sanitizer.ts"
import { textResult, toolRuntime } from "../../../support/toolRuntime.ts"
import { order } from "./orders.ts"

const ADA = {
  client: "editor",
  person: { issuer: "https://login.example.com", subject: "1", name: "ada" },
  groups: [],
  roles: [],
  scopes: []
}

describe("an agent request", () => {
  it.effect("gives its agent what the rules of clients leave to its person, lists and context too", () =>
    Effect.gen(function* () {
      const callers: Array<Caller> = []
      const used: Array<string> = []
      const runtimeOf = (name: string) =>
        toolRuntime({
          look: {
            run: () =>
              Effect.as(
                Effect.sync(() => used.push(name)),
                textResult("seen")
              )
          }
        })
      const whole: WholeRuntime = {
        ...runtimeOf("whole"),
        as: (caller) => {
          callers.push(caller())
          return runtimeOf("as ada may use it")
        }
      }
      const live = OrdersLayer.layerWith({}, { clients: 2 }).pipe(
        Layer.provideMerge(layerScripted(() => [{ call: "look" }])),
        Layer.provideMerge(SessionTools.layer),
        Layer.provideMerge(Layer.succeed(McpRuntime, whole)),
        Layer.provideMerge(Layer.mock(ResultStore, { keep: () => undefined })),
        Layer.provideMerge(sanitizer)
      )
      yield* Effect.provide(
        Effect.gen(function* () {
          const { place } = yield* Orders
          yield* place(order("look"), { principal: "ada by editor", identity: ADA })
          yield* place(order("look"), { principal: "the user" })
        }),
        live
      )
      assert.deepStrictEqual(used, ["as ada may use it", "whole"])
      assert.deepStrictEqual(
        callers.map(({ client, identity }) => [client, identity]),
        [["ada by editor", ADA]]
      )
    })
  )
})
