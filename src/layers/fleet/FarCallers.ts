/** Who at other nodes waits for an answer of a server of this one. A question of a server goes to its only caller. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { FarCallers } from "../../services/fleet/HomeServers.ts"

type Asker = NonNullable<ReturnType<FarCallers["Service"]["askerOf"]>>

const make = Effect.sync(() => {
  const callers = new Map<string, Set<{ readonly ask: Asker }>>()
  return FarCallers.of({
    calling: (key, ask) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            const caller = { ask }
            callers.set(key, (callers.get(key) ?? new Set()).add(caller))
            return caller
          }),
          (caller) =>
            Effect.sync(() => {
              const all = callers.get(key)
              if (all?.delete(caller) === true && all.size === 0) callers.delete(key)
            })
        )
      ),
    askerOf: (key) => {
      const all = callers.get(key)
      const [only, ...others] = all === undefined ? [] : [...all]
      return others.length === 0 ? only?.ask : undefined
    }
  })
})

export const layer: Layer.Layer<FarCallers> = Layer.effect(FarCallers, make)
