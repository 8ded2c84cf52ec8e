/** Turns what servers say of their prompts, and the prompts they fill in, into what an agent and a program may see. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PromptDefinition } from "../schemas/Catalogue.ts"
import {
  COMPLETION_MAX_VALUES,
  COMPLETION_VALUE_MAX_CHARS,
  CUT_MARGIN_CHARS,
  DESCRIPTION_MAX_CHARS,
  LABEL_MAX_CHARS,
  PARAMETER_DESCRIPTION_MAX_CHARS,
  PROMPT_ARGUMENTS_MAX,
  SCHEMA_MAX_BYTES,
  TOOL_NAME_MAX_CHARS
} from "../schemas/Defaults.ts"
import { isObject } from "../schemas/Json.ts"
import type { AgentPrompt, Completion } from "../schemas/Prompt.ts"
import { inLine, inProse } from "../schemas/ServerText.ts"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { PromptBridge } from "../services/PromptBridge.ts"
import { toResult } from "./PromptBridge/messages.ts"

type Sanitizer = ContentSanitizer["Service"]

/** What all descriptions of one prompt's arguments may take together, as a tool's schema may. */
const toArguments = (given: PromptDefinition["arguments"], { describe, label }: Sanitizer) => {
  let room = SCHEMA_MAX_BYTES
  return given.slice(0, PROMPT_ARGUMENTS_MAX).map(({ description, name, required }, i) => {
    const size = Math.min(description.length, PARAMETER_DESCRIPTION_MAX_CHARS + CUT_MARGIN_CHARS)
    const fits = size <= room
    if (fits) room -= size
    return {
      // A name that cannot be seen, or not whole, gets one that can be typed.
      name: (name.length <= LABEL_MAX_CHARS && inLine(name, label)) || `argument_${i + 1}`,
      description: fits ? inProse(description, describe, PARAMETER_DESCRIPTION_MAX_CHARS) : "",
      required
    }
  })
}

const toAgentPrompt = (
  name: string,
  server: string,
  definition: PromptDefinition,
  sanitizer: Sanitizer
): AgentPrompt => ({
  name,
  server,
  prompt: inLine(definition.name, sanitizer.label, TOOL_NAME_MAX_CHARS),
  title: definition.title === undefined ? undefined : inLine(definition.title, sanitizer.label) || undefined,
  description: inProse(definition.description, sanitizer.describe, DESCRIPTION_MAX_CHARS),
  arguments: toArguments(definition.arguments, sanitizer)
})

const NO_SUGGESTIONS: Completion = { values: [], total: undefined, hasMore: false }

const toCompletion = (raw: unknown, { label }: Sanitizer): Completion => {
  const completion = isObject(raw) ? raw["completion"] : undefined
  if (!isObject(completion) || !Array.isArray(completion["values"])) return NO_SUGGESTIONS
  const { hasMore, total, values } = completion
  const usable = (values as ReadonlyArray<unknown>)
    .slice(0, COMPLETION_MAX_VALUES)
    .flatMap((value) => (typeof value === "string" && value.length <= COMPLETION_VALUE_MAX_CHARS ? [value] : []))
    .map((value) => label(value, COMPLETION_VALUE_MAX_CHARS))
    .filter((value) => value !== "")
  return {
    values: [...new Set(usable)],
    total: typeof total === "number" && Number.isFinite(total) && total >= 0 ? total : undefined,
    hasMore: hasMore === true || values.length > COMPLETION_MAX_VALUES
  }
}

const make = Effect.gen(function* () {
  const sanitizer = yield* ContentSanitizer
  return PromptBridge.of({
    toAgentPrompt: (name, server, definition) => ({
      agentPrompt: toAgentPrompt(name, server, definition, sanitizer),
      findings: []
    }),
    toResult: (raw, origin, budget) => toResult(raw, origin, budget, sanitizer),
    toCompletion: (raw) => toCompletion(raw, sanitizer)
  })
})

export const layer: Layer.Layer<PromptBridge, never, ContentSanitizer> = Layer.effect(PromptBridge, make)
