/** The audit log of this machine, or of the fleet that the configuration names. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { root } from "../command.ts"

export const trailLayer = Effect.gen(function* () {
  const { config } = yield* root
  const { auditTrail } = yield* Effect.promise(() => import("../../../layers/McpLive/auditTrail.ts"))
  return auditTrail(Option.getOrUndefined(config))
})
