/**
 * A server's question to the person: the request is cleaned, the answer is checked against the form. Nothing here opens or
 * fetches a URL.
 */
import * as Effect from "effect/Effect"
import { DESCRIPTION_MAX_CHARS } from "../../../schemas/defaults/Definitions.ts"
import { LABEL_MAX_CHARS, QUOTED_NAME_MAX_CHARS, URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import type { ElicitationRequest, ElicitationValue, HostRefusal } from "../../../schemas/content/HostRequest.ts"
import { isObject, type JsonObject } from "../../../schemas/data/Json.ts"
import { problemOf } from "./fieldValue.ts"
import { readForm, type Form } from "./form.ts"
import { invalid } from "./refusal.ts"
import type { Words } from "./requestText.ts"

export interface Question {
  readonly request: ElicitationRequest
  /** The form that an answer must fit; `undefined` for a URL. */
  readonly form: Form | undefined
}

type Params = Readonly<Record<string, unknown>>

export const readQuestion = Effect.fnUntraced(function* (
  server: string,
  params: Params,
  words: Words
): Effect.fn.Return<Question, HostRefusal> {
  // Servers of 2025-06-18 have one mode and do not name it.
  const mode = params["mode"] ?? "form"
  if (mode !== "form" && mode !== "url") return yield* invalid("this client knows the modes form and url")
  if (typeof params["message"] !== "string") return yield* invalid("message is not a string")
  const message = words.prose(params["message"], DESCRIPTION_MAX_CHARS)
  if (mode === "form") {
    const form = yield* readForm(params["requestedSchema"], words)
    return { request: { mode, server, message, requestedSchema: form.schema }, form }
  }
  const url = yield* readUrl(params["url"], words)
  const id = params["elicitationId"]
  const elicitationId = typeof id === "string" ? words.line(id, LABEL_MAX_CHARS) : undefined
  return { request: { mode, server, message, url: url.href, host: url.hostname, elicitationId }, form: undefined }
})

/** Parsed like in a browser: what is shown is what would be opened, in ASCII, without invisible characters. */
const readUrl = (given: unknown, words: Words): Effect.Effect<URL, HostRefusal> => {
  const url = typeof given === "string" && given.length <= URI_MAX_CHARS ? URL.parse(given) : null
  if (url === null) return Effect.fail(invalid(`url is not an address of at most ${URI_MAX_CHARS} characters`))
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return Effect.fail(invalid("only addresses with https: or http: are shown to a person"))
  }
  // `https://bank.example@evil.example` leads to evil.example.
  if (url.username !== "" || url.password !== "") return Effect.fail(invalid("an address may not hold credentials"))
  // A known secret would be masked, and a masked URL is another one.
  return words.isExact(url.href, URI_MAX_CHARS)
    ? Effect.succeed(url)
    : Effect.fail(invalid("the address cannot be shown to a person as it is"))
}

// ---- the answer ----------------------------------------------------------------------------------------------------

export type Content = Readonly<Record<string, ElicitationValue>>

/**
 * The submitted values, with defaults for missing fields (SEP-1034), and without unknown fields and emptied optional ones
 * (`null`). Or what is wrong: the name of a field and why, never a value.
 */
export const readContent = (given: unknown, { fields }: Form): Content | string => {
  const content = isObject(given) ? given : {}
  const values: Array<readonly [string, ElicitationValue]> = []
  for (const { default: preset, kind, name, required } of fields) {
    const called = JSON.stringify(name.slice(0, QUOTED_NAME_MAX_CHARS))
    const own = Object.hasOwn(content, name) ? content[name] : undefined
    if (own === null && !required) continue
    const value = own ?? preset
    if (value === undefined) {
      if (required) return `${called} is missing`
      continue
    }
    const problem = problemOf(value, kind)
    if (problem !== undefined) return `${called}: ${problem}`
    values.push([name, value as ElicitationValue])
  }
  return Object.fromEntries(values)
}

export const accepted = (content: Content | undefined): JsonObject =>
  content === undefined ? { action: "accept" } : { action: "accept", content }
