/** Tools for Effect's own `LanguageModel`: a toolkit with its handlers for `generateText` and `streamText`. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Prompt from "effect/ai/Prompt"
import * as EffectTool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { normalizeSchema, type Provider } from "../../schemas/call/NormalizeSchema.ts"
import type { ExecuteResult, Tool } from "../loadMCPServers/Tool.ts"
import { type SchemaOptions, textOf } from "./adapter.ts"

/** The model gets the content; the program finds the whole result in the response. */
const toModelOutput = ({ content }: ExecuteResult) =>
  content.map((block) =>
    block.type === "text"
      ? Prompt.textPart({ text: block.text })
      : Prompt.filePart({ mediaType: block.mimeType, data: block.data })
  )

const toEffectTool = ({ description, name, parameters }: Tool, provider: Provider) =>
  EffectTool.dynamic(name, {
    description,
    parameters: { ...normalizeSchema(parameters, provider) },
    failure: Schema.String,
    // The model reads the error of a tool; the program does not fail.
    failureMode: "return",
    toModelOutput
  })

type EffectTools = Record<string, ReturnType<typeof toEffectTool>>

/**
 * A toolkit with its handlers for Effect's `generateText` and `streamText`. Schemas are adapted to the rules of `provider`;
 * default: plain JSON Schema.
 */
export const toEffectToolkit = (
  tools: ReadonlyArray<Tool>,
  { provider = "json-schema" }: SchemaOptions = {}
): Effect.Effect<Toolkit.WithHandler<EffectTools>> => {
  const toolkit: Toolkit.Toolkit<EffectTools> = Toolkit.make(...tools.map((tool) => toEffectTool(tool, provider)))
  const handlers = toolkit.toLayer(
    Object.fromEntries(
      tools.map((tool) => [
        tool.name,
        (params: unknown, { toolCallId = tool.name }: { readonly toolCallId?: string | undefined }) =>
          Effect.promise((signal) => tool.execute(toolCallId, params, signal)).pipe(
            Effect.flatMap((result) =>
              result.isError ? Effect.fail(textOf(result.content)) : Effect.succeed<unknown>(result)
            )
          )
      ])
    )
  )
  return Effect.provide(toolkit, handlers)
}
