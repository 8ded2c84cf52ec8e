/**
 * Prepares what agents need of each listed definition (its hash, its cleaned texts) before the list is published. It works in
 * slices: otherwise the first look at a new list of thousands would block everything else.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import { eachInTurns } from "../../../system/inTurns.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { DefinitionLedger } from "../../../services/call/DefinitionLedger.ts"
import { PromptBridge } from "../../../services/content/PromptBridge.ts"
import { ResourceBridge } from "../../../services/content/ResourceBridge.ts"
import { ToolBridge } from "../../../services/call/ToolBridge.ts"

export type Prepare = (config: ServerConfig, catalogue: Catalogue) => Effect.Effect<void>

/** A service that nobody provides prepares nothing. What was not prepared is made when it is needed. */
export const makePrepare: Effect.Effect<Prepare> = Effect.gen(function* () {
  const ledger = Option.getOrUndefined(yield* Effect.serviceOption(DefinitionLedger))
  const tools = Option.getOrUndefined(yield* Effect.serviceOption(ToolBridge))
  const resources = Option.getOrUndefined(yield* Effect.serviceOption(ResourceBridge))
  const prompts = Option.getOrUndefined(yield* Effect.serviceOption(PromptBridge))
  return Effect.fnUntraced(function* (config, catalogue) {
    const { name } = config
    const hash = ledger?.prepare(config, catalogue)
    yield* eachInTurns(catalogue.tools, (definition) => {
      hash?.(definition)
      tools?.toAgentTool(definition.name, name, definition)
    })
    yield* eachInTurns(catalogue.resources, (definition) => resources?.toAgentResource(name, definition))
    yield* eachInTurns(catalogue.resourceTemplates, (definition) => resources?.toAgentTemplate(name, definition))
    yield* eachInTurns(catalogue.prompts, (definition) => prompts?.toAgentPrompt(definition.name, name, definition))
  })
})
