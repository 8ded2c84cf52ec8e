/** Checks the arguments of untyped programs for requests other than tool calls, before a server gets them. */
import * as Effect from "effect/Effect"
import { isObject } from "../../schemas/data/Json.ts"
import { InvalidArguments } from "../../schemas/call/CallError.ts"
import type { CompletionArgument, CompletionRef } from "../../schemas/content/Prompt.ts"

/** What is completed: in our own terms or in those of the protocol. */
export type CompletionSubject =
  | CompletionRef
  | { readonly type: "ref/prompt"; readonly name: string }
  | { readonly type: "ref/resource"; readonly uri: string; readonly server?: string | undefined }

/** Without a `value`, nothing has been typed so far. */
export type CompletionInput = Omit<CompletionArgument, "value"> & Partial<Pick<CompletionArgument, "value">>

type Read<A> = Effect.Effect<A, InvalidArguments>

const refuse = (method: string, detail: string): Read<never> =>
  Effect.fail(new InvalidArguments({ tool: method, detail }))

const isText = (value: unknown): value is string => typeof value === "string"

const isTextOrAbsent = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || isText(value)

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText)

// ---- resources and prompts -----------------------------------------------------------------------------------------

export const readUri = (uri: unknown, server: unknown): Read<readonly [uri: string, server: string | undefined]> => {
  if (!isText(uri)) return refuse("readResource", "the URI is not a text")
  if (!isTextOrAbsent(server)) return refuse("readResource", "the server is not a text")
  return Effect.succeed([uri, server ?? undefined])
}

export const readPromptCall = (
  name: unknown,
  args: unknown
): Read<readonly [name: string, args: Readonly<Record<string, string>> | undefined]> => {
  if (!isText(name)) return refuse("getPrompt", "the name is not a text")
  if (args === undefined || args === null) return Effect.succeed([name, undefined])
  if (!isObject(args)) return refuse("getPrompt", "the arguments are not an object")
  return isTexts(args)
    ? Effect.succeed([name, args])
    : refuse("getPrompt", "the arguments are not an object of texts: one of its values is not a text")
}

// ---- completion ----------------------------------------------------------------------------------------------------

const REF_SHAPE =
  'the first one must be { type: "prompt", name } or { type: "resource", uriTemplate, server? }; the protocol\'s own { type: "ref/prompt", name } and { type: "ref/resource", uri } are accepted, too'
const ARGUMENT_SHAPE = "the second one must be { name, value?, others? } with texts, others an object of texts"

const toRef = (given: unknown): CompletionRef | undefined => {
  if (!isObject(given)) return undefined
  const { name, server, type } = given
  if (type === "prompt" || type === "ref/prompt") return isText(name) ? { type: "prompt", name } : undefined
  const uriTemplate = type === "resource" ? given["uriTemplate"] : type === "ref/resource" ? given["uri"] : undefined
  return isText(uriTemplate) && isTextOrAbsent(server)
    ? { type: "resource", uriTemplate, server: server ?? undefined }
    : undefined
}

const toArgument = (given: unknown): CompletionArgument | undefined => {
  if (!isObject(given)) return undefined
  const { name, others, value = "" } = given
  const isWhole = isText(name) && isText(value) && (others === undefined || isTexts(others))
  return isWhole ? { name, value, others } : undefined
}

export const readCompletion = (
  ref: unknown,
  argument: unknown
): Read<readonly [ref: CompletionRef, argument: CompletionArgument]> => {
  const subject = toRef(ref)
  if (subject === undefined) return refuse("complete", REF_SHAPE)
  const typed = toArgument(argument)
  return typed === undefined ? refuse("complete", ARGUMENT_SHAPE) : Effect.succeed([subject, typed])
}
