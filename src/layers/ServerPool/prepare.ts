/**
 * What agents need of each definition that a server lists (its hash, its texts cleaned) is made before anybody is told of the
 * list, in slices: a list of thousands that is new as a whole would hold everybody up at the first look.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Catalogue } from "../../schemas/Catalogue.ts"
import { inSlices } from "../../schemas/InSlices.ts"
import type { ServerConfig } from "../../schemas/ServerConfig.ts"
import { DefinitionLedger } from "../../services/DefinitionLedger.ts"
import { ToolBridge } from "../../services/ToolBridge.ts"

export type Prepare = (config: ServerConfig, catalogue: Catalogue) => Effect.Effect<void>

/** Nothing where nobody provides who needs it: what was not prepared is made when it is looked at. */
export const makePrepare: Effect.Effect<Prepare> = Effect.gen(function* () {
  const bridge = Option.getOrUndefined(yield* Effect.serviceOption(ToolBridge))
  const ledger = Option.getOrUndefined(yield* Effect.serviceOption(DefinitionLedger))
  return (config, catalogue) => {
    const hash = ledger?.prepare(config, catalogue)
    return inSlices(catalogue.tools, (definition) => {
      hash?.(definition)
      bridge?.toAgentTool(definition.name, config.name, definition)
    })
  }
})
