/** Converts the prompts of servers, and their messages, into what an agent and a program may see. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PromptDefinition } from "../../schemas/connection/Catalogue.ts"
import { remembering, type Cleaner } from "../../schemas/content/Cleaner.ts"
import { withheldFor, type ContentPolicy } from "../../schemas/content/ContentPolicy.ts"
import {
  COMPLETION_MAX_VALUES,
  COMPLETION_VALUE_MAX_CHARS,
  PROMPT_ARGUMENTS_MAX
} from "../../schemas/defaults/Catalogue.ts"
import {
  DESCRIPTION_MAX_CHARS,
  PARAMETER_DESCRIPTION_MAX_CHARS,
  SCHEMA_MAX_BYTES,
  TOOL_NAME_MAX_CHARS
} from "../../schemas/defaults/Definitions.ts"
import { CUT_MARGIN_CHARS, LABEL_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import type { Finding } from "../../schemas/content/Finding.ts"
import { isObject } from "../../schemas/data/Json.ts"
import type { AgentPrompt, Completion } from "../../schemas/content/Prompt.ts"
import { madeOnce } from "../../schemas/data/MadeOnce.ts"
import { inLine, inProse, mergeFindings, numberOf } from "../../schemas/content/ServerText.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { secretsVersion } from "../../services/content/Redactor.ts"
import { PromptBridge } from "../../services/content/PromptBridge.ts"
import { toResult } from "./PromptBridge/messages.ts"

type Sanitizer = ContentSanitizer["Service"]

/** The space for all descriptions of one prompt's arguments together, as for a tool's schema. */
const toArguments = (given: PromptDefinition["arguments"], { describe, label }: Cleaner) => {
  let room = SCHEMA_MAX_BYTES
  return given.slice(0, PROMPT_ARGUMENTS_MAX).map(({ description, name, required }, i) => {
    const size = Math.min(description.length, PARAMETER_DESCRIPTION_MAX_CHARS + CUT_MARGIN_CHARS)
    const fits = size <= room
    if (fits) room -= size
    return {
      // A name that is invisible or too long is replaced by one that can be typed.
      name: (name.length <= LABEL_MAX_CHARS && inLine(name, label)) || `argument_${i + 1}`,
      description: fits ? inProse(description, describe, PARAMETER_DESCRIPTION_MAX_CHARS) : "",
      required
    }
  })
}

const cleanedOf = (
  server: string,
  definition: PromptDefinition,
  sanitizer: Sanitizer
): { readonly prompt: Omit<AgentPrompt, "name">; readonly findings: ReadonlyArray<Finding> } => {
  const cleaner = remembering(sanitizer)
  const { describe, label } = cleaner
  const prompt = {
    server,
    prompt: inLine(definition.name, label, TOOL_NAME_MAX_CHARS),
    title: definition.title === undefined ? undefined : inLine(definition.title, label) || undefined,
    description: inProse(definition.description, describe, DESCRIPTION_MAX_CHARS),
    arguments: toArguments(definition.arguments, cleaner)
  }
  return { prompt, findings: mergeFindings(cleaner.findings()) }
}

const NO_SUGGESTIONS: Completion = { values: [], total: undefined, hasMore: false }

const toCompletion = (raw: unknown, content: ContentPolicy | undefined, { clean, label }: Sanitizer): Completion => {
  const completion = isObject(raw) ? raw["completion"] : undefined
  if (!isObject(completion) || !Array.isArray(completion["values"])) return NO_SUGGESTIONS
  const { hasMore, total, values } = completion
  const mayBeShown = (value: string) =>
    content === undefined || content.withhold.length === 0 || withheldFor(content, clean(value).findings).length === 0
  const usable = (values as ReadonlyArray<unknown>)
    .slice(0, COMPLETION_MAX_VALUES)
    .flatMap((value) => (typeof value === "string" && value.length <= COMPLETION_VALUE_MAX_CHARS ? [value] : []))
    .filter(mayBeShown)
    .map((value) => label(value, COMPLETION_VALUE_MAX_CHARS))
    .filter((value) => value !== "")
  return {
    values: [...new Set(usable)],
    total: typeof total === "number" && total >= 0 ? numberOf(total, label) : undefined,
    hasMore: hasMore === true || values.length > COMPLETION_MAX_VALUES
  }
}

const make = Effect.gen(function* () {
  const sanitizer = yield* ContentSanitizer
  const toCleaned = madeOnce(
    (server: string, definition: PromptDefinition) => cleanedOf(server, definition, sanitizer),
    yield* secretsVersion
  )
  return PromptBridge.of({
    toAgentPrompt: (name, server, definition) => {
      const { findings, prompt } = toCleaned(server, definition)
      return { agentPrompt: { name, ...prompt }, findings }
    },
    toResult: (raw, origin, budget) => toResult(raw, origin, budget, sanitizer),
    toCompletion: (raw, content) => toCompletion(raw, content, sanitizer)
  })
})

/** Cleans the prompts of servers and their messages. */
export const layer: Layer.Layer<PromptBridge, never, ContentSanitizer> = Layer.effect(PromptBridge, make)
