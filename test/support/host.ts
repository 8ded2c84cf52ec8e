/** Hosts for tests of connections: what they declare, and how they answer servers. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import * as Stream from "effect/Stream"
import { HostRefusal, METHOD_NOT_FOUND, REFUSED } from "../../src/schemas/content/HostRequest.ts"
import type { JsonObject } from "../../src/schemas/data/Json.ts"
import { HostFeatures } from "../../src/services/content/HostFeatures.ts"

export interface FakeHost {
  readonly capabilities?: JsonObject
  /** By method; what is left out is refused. */
  readonly answers?: Readonly<
    Record<string, (params: Readonly<Record<string, unknown>>) => Effect.Effect<JsonObject, HostRefusal>>
  >
}

export const refuse = Effect.fail(new HostRefusal({ code: REFUSED, message: "the person said no" }))

export const fakeHost = ({ answers = {}, capabilities = {} }: FakeHost = {}): Layer.Layer<HostFeatures> =>
  Layer.effect(
    HostFeatures,
    Effect.gen(function* () {
      const changes = yield* PubSub.unbounded<void>()
      return HostFeatures.of({
        capabilities: () => capabilities,
        answer: (_server, method, params) =>
          answers[method]?.(params) ??
          Effect.fail(new HostRefusal({ code: METHOD_NOT_FOUND, message: `this host has no ${method}` })),
        setRoots: () => Effect.asVoid(PubSub.publish(changes, undefined)),
        rootsChanged: Stream.fromPubSub(changes)
      })
    })
  )
