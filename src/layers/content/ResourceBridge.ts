/** Converts the resources of servers, and their contents, into what an agent and a program may see. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ResourceDefinition } from "../../schemas/connection/Catalogue.ts"
import { remembering, type Cleaner } from "../../schemas/content/Cleaner.ts"
import { DESCRIPTION_MAX_CHARS } from "../../schemas/defaults/Definitions.ts"
import { URI_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import type { AgentResourceTemplate } from "../../schemas/content/Resource.ts"
import { madeOnce } from "../../schemas/data/MadeOnce.ts"
import { inLine, inProse, mergeFindings, numberOf } from "../../schemas/content/ServerText.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { secretsVersion } from "../../services/content/Redactor.ts"
import { ResourceBridge } from "../../services/content/ResourceBridge.ts"
import { toContext } from "./ResourceBridge/context.ts"
import { toReading } from "./ResourceBridge/reading.ts"

const uriOf = ({ uri }: ResourceDefinition, { label }: Cleaner) => inLine(uri, label, URI_MAX_CHARS)

const wordsOf = (
  server: string,
  { description, mimeType, name, title, uri }: ResourceDefinition,
  { describe, label }: Cleaner
): Omit<AgentResourceTemplate, "uriTemplate"> => ({
  server,
  // An invisible name counts as missing.
  name: inLine(name, label) || inLine(uri, label),
  title: title === undefined ? undefined : inLine(title, label) || undefined,
  description: inProse(description, describe, DESCRIPTION_MAX_CHARS),
  mimeType: mimeType === undefined ? undefined : inLine(mimeType, label) || undefined
})

const make = Effect.gen(function* () {
  const sanitizer = yield* ContentSanitizer
  const version = yield* secretsVersion
  return ResourceBridge.of({
    toAgentResource: madeOnce((server: string, definition: ResourceDefinition) => {
      const cleaner = remembering(sanitizer)
      const agentResource = {
        ...wordsOf(server, definition, cleaner),
        uri: uriOf(definition, cleaner),
        size: numberOf(definition.size, cleaner.label)
      }
      return { agentResource, findings: mergeFindings(cleaner.findings()) }
    }, version),
    toAgentTemplate: madeOnce((server: string, definition: ResourceDefinition) => {
      const cleaner = remembering(sanitizer)
      const agentTemplate = { ...wordsOf(server, definition, cleaner), uriTemplate: uriOf(definition, cleaner) }
      return { agentTemplate, findings: mergeFindings(cleaner.findings()) }
    }, version),
    toReading: (raw, origin, budget) => toReading(raw, origin, budget, sanitizer),
    toContext: (readings, maxBytes) => toContext(readings, maxBytes, sanitizer)
  })
})

/** Cleans the resources of servers and their contents. */
export const layer: Layer.Layer<ResourceBridge, never, ContentSanitizer> = Layer.effect(ResourceBridge, make)
