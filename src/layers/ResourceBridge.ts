/** Turns what servers say of their resources, and what is read from them, into what an agent and a program may see. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ResourceDefinition } from "../schemas/Catalogue.ts"
import { DESCRIPTION_MAX_CHARS, URI_MAX_CHARS } from "../schemas/Defaults.ts"
import type { AgentResourceTemplate } from "../schemas/Resource.ts"
import { inLine, inProse } from "../schemas/ServerText.ts"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { ResourceBridge } from "../services/ResourceBridge.ts"
import { toContext } from "./ResourceBridge/context.ts"
import { toReading } from "./ResourceBridge/reading.ts"

const make = Effect.gen(function* () {
  const sanitizer = yield* ContentSanitizer
  const { describe, label } = sanitizer

  const uriOf = ({ uri }: ResourceDefinition) => inLine(uri, label, URI_MAX_CHARS)
  const wordsOf = (
    server: string,
    { description, mimeType, name, title, uri }: ResourceDefinition
  ): Omit<AgentResourceTemplate, "uriTemplate"> => ({
    server,
    // A name of which nothing can be seen is none.
    name: inLine(name, label) || inLine(uri, label),
    title: title === undefined ? undefined : inLine(title, label) || undefined,
    description: inProse(description, describe, DESCRIPTION_MAX_CHARS),
    mimeType: mimeType === undefined ? undefined : inLine(mimeType, label) || undefined
  })

  return ResourceBridge.of({
    toAgentResource: (server, definition) => ({
      ...wordsOf(server, definition),
      uri: uriOf(definition),
      size: Number.isFinite(definition.size) ? definition.size : undefined
    }),
    toAgentTemplate: (server, definition) => ({ ...wordsOf(server, definition), uriTemplate: uriOf(definition) }),
    toReading: (raw, origin, budget) => toReading(raw, origin, budget, sanitizer),
    toContext: (readings, maxBytes) => toContext(readings, maxBytes, sanitizer)
  })
})

export const layer: Layer.Layer<ResourceBridge, never, ContentSanitizer> = Layer.effect(ResourceBridge, make)
