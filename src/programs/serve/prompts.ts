/** The prompts of an agent for a client, and their completions. */
import * as Effect from "effect/Effect"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import { memoOf } from "../../schemas/data/Memo.ts"
import type { AgentPrompt, CompletionRef } from "../../schemas/content/Prompt.ts"
import type { RequestContext, Handler } from "../../services/listener/McpListener.ts"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { optional, toPrompt, toPromptResult } from "./content.ts"
import { listed, type Listed } from "./pages.ts"
import { invalid } from "./refusals.ts"
import type { ResourceParts } from "./resources.ts"

const toWire = memoOf((prompt: AgentPrompt) => listed(prompt.name, toPrompt(prompt)))

export const promptList = ({ runtime }: Pick<ResourceParts, "runtime">): Effect.Effect<ReadonlyArray<Listed>> =>
  Effect.map(
    Effect.flatMap(runtime, ({ prompts }) => prompts),
    (prompts) => prompts.map(toWire)
  )

/** `undefined` when a value is not a text. */
const textsOf = (given: unknown): Readonly<Record<string, string>> | undefined => {
  if (given === undefined) return {}
  if (!isObject(given)) return undefined
  return Object.values(given).every((value) => typeof value === "string")
    ? (given as Record<string, string>)
    : undefined
}

export const getPrompt = (parts: ResourceParts): Handler =>
  Effect.fnUntraced(function* ({ arguments: given, name }: JsonObject, exchange: RequestContext) {
    if (typeof name !== "string") return yield* invalid("the name of a prompt is missing")
    const args = textsOf(given)
    if (args === undefined) return yield* invalid("the arguments of a prompt must be texts")
    const runtime = yield* parts.runtime
    const server = (yield* runtime.prompts).find((prompt) => prompt.name === name)?.server
    const asked = runtime.getPrompt(name, args, parts)
    const getting = (parts.accounts?.connecting(asked, exchange) ?? asked).pipe(Effect.catch(parts.refuse))
    return toPromptResult(yield* parts.during(server, exchange, getting))
  })

const refOf = (given: unknown): CompletionRef | undefined => {
  if (!isObject(given)) return undefined
  const { name, type, uri } = given
  if (type === "ref/prompt" && typeof name === "string") return { type: "prompt", name }
  return type === "ref/resource" && typeof uri === "string" ? { type: "resource", uriTemplate: uri } : undefined
}

/** The one server that will be asked, as far as the lists tell. */
const serverOf = (runtime: McpRuntimeShape, ref: CompletionRef): Effect.Effect<string | undefined> =>
  ref.type === "prompt"
    ? Effect.map(runtime.prompts, (all) => all.find(({ name }) => name === ref.name)?.server)
    : Effect.map(runtime.resourceTemplates, (all) => {
        const having = all.filter(({ uriTemplate }) => uriTemplate === ref.uriTemplate)
        return having.length === 1 ? having[0]!.server : undefined
      })

export const complete = (parts: ResourceParts): Handler =>
  Effect.fnUntraced(function* ({ argument, context, ref: given }: JsonObject, exchange: RequestContext) {
    const ref = refOf(given)
    if (ref === undefined) return yield* invalid("what is to be completed is neither a prompt nor a template")
    const { name, value }: Record<string, unknown> = isObject(argument) ? argument : {}
    if (typeof name !== "string" || typeof value !== "string") {
      return yield* invalid("the argument that is to be completed is missing")
    }
    const others = textsOf(isObject(context) ? context["arguments"] : undefined)
    if (others === undefined) return yield* invalid("the arguments that are filled in must be texts")
    const runtime = yield* parts.runtime
    const asked = runtime.complete(ref, { name, value, others }, parts)
    const completing = (parts.accounts?.connecting(asked, exchange) ?? asked).pipe(Effect.catch(parts.refuse))
    const found = yield* parts.during(yield* serverOf(runtime, ref), exchange, completing)
    return { completion: { values: found.values, hasMore: found.hasMore, ...optional("total", found.total) } }
  })
