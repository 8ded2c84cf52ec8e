/** What servers ask of their host: a question of a server that is called from another node is answered there. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { poolKeyOf } from "../../schemas/connection/Isolation.ts"
import { HostFeatures } from "../../services/content/HostFeatures.ts"
import { FarCallers } from "../../services/fleet/HomeServers.ts"

/** The directories of a server are those of where it runs. */
const NEAR = "roots/list"

export const layer: Layer.Layer<HostFeatures, never, HostFeatures | FarCallers> = Layer.effect(
  HostFeatures,
  Effect.gen(function* () {
    const own = yield* HostFeatures
    const callers = yield* FarCallers
    return HostFeatures.of({
      ...own,
      answer: (server, method, params) => {
        const ask = method === NEAR ? undefined : callers.askerOf(poolKeyOf(server))
        return ask === undefined ? own.answer(server, method, params) : ask(method, params)
      }
    })
  })
)
