/**
 * What one server offers, decoded with tolerance: a definition that cannot be used costs that definition only and leaves
 * a diagnostic. Texts are still the server's own here; they are cleaned where they leave (ToolBridge).
 */
import { SCHEMA_MAX_BYTES, SCHEMA_MAX_DEPTH, TOOL_NAME_MAX_CHARS } from "../defaults/Definitions.ts"
import {
  ANNOTATIONS_MAX_DEPTH,
  ANNOTATIONS_MAX_NODES,
  QUOTED_NAME_MAX_CHARS,
  URI_MAX_CHARS
} from "../defaults/Texts.ts"
import { isObject, withinBounds, type JsonObject } from "../data/Json.ts"
import { inLine, type Label } from "../content/ServerText.ts"

/** A tool as its server describes it; not cleaned. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  /** JSON Schema with an object at its root. */
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
  /** Untrusted hints. */
  readonly annotations: JsonObject | undefined
  /** Whether it can, or must, be called as a task (2025-11-25, Tasks). */
  readonly taskSupport: "forbidden" | "optional" | "required"
}

/** A resource, or a template of addresses, as its server describes it; not cleaned. */
export interface ResourceDefinition {
  readonly uri: string
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly mimeType: string | undefined
  /** Bytes, when the server says so. */
  readonly size: number | undefined
}

/** A prompt as its server describes it; not cleaned. */
export interface PromptDefinition {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly description: string; readonly required: boolean }>
}

/** What a server can do besides answering calls. */
export interface Offers {
  readonly resources: boolean
  /** It announces changes of resources that were subscribed to. */
  readonly subscriptions: boolean
  readonly prompts: boolean
  readonly completions: boolean
}

/** What one server offers. Texts are still the server's own, and not cleaned. */
export interface Catalogue {
  readonly offers: Offers
  /** What the server says of itself and its use when it is greeted; left out when it says nothing. */
  readonly instructions?: string | undefined
  /** What this host offered the server that listed all of it, as `offeredBy` says it; left out for one that offered nothing. */
  readonly host?: string | undefined
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly resources: ReadonlyArray<ResourceDefinition>
  readonly resourceTemplates: ReadonlyArray<ResourceDefinition>
  readonly prompts: ReadonlyArray<PromptDefinition>
  /** What was left out and why, in our own words. */
  readonly diagnostics: ReadonlyArray<string>
  /** What of its lists there was no room for, in our own words; left out when all of them fit. */
  readonly tooLarge?: string | undefined
}

const NO_OFFERS: Offers = { resources: false, subscriptions: false, prompts: false, completions: false }

export const EMPTY: Catalogue = {
  offers: NO_OFFERS,
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  diagnostics: []
}

/** A word for each feature that a host declares to a server: `elicitation.form roots`. Servers list other tools for other hosts. */
export const offeredBy = (capabilities: JsonObject): string =>
  Object.entries(capabilities)
    .flatMap(([name, value]) =>
      isObject(value) && name === "elicitation" ? Object.keys(value).map((mode) => `${name}.${mode}`) : [name]
    )
    .toSorted()
    .join(" ")

/** A decoded definition, or why it cannot be used. A `note` is what is to be said of a value that can be used all the same. */
export type Decoded<A> =
  | { readonly ok: true; readonly value: A; readonly note?: string }
  | { readonly ok: false; readonly reason: string }

const rejected = (reason: string): Decoded<never> => ({ ok: false, reason })

const text = (value: unknown): string => (typeof value === "string" ? value : "")
/** Blank counts as missing. */
const shownText = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

/** A server's word in a sentence of ours: short, on one line, nothing in it that is invisible. */
export const quoted = (word: string) =>
  JSON.stringify(word.length > QUOTED_NAME_MAX_CHARS ? `${word.slice(0, QUOTED_NAME_MAX_CHARS)}…` : word).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`
  )

/** How a server's word stands in a diagnostic. */
export type Quote = (word: string) => string

/** Cleaned first: what is cut, or spelled out, is not recognised any more. */
export const quotedWith =
  (label: Label): Quote =>
  (word) =>
    quoted(inLine(word, label, QUOTED_NAME_MAX_CHARS))

/** A JSON Schema that we can hand to a model, or why not. */
const decodeSchema = (value: unknown): JsonObject | string => {
  if (value === undefined) return "is missing"
  if (!isObject(value)) return "is not an object"
  if (!withinBounds(value, SCHEMA_MAX_DEPTH)) return `is nested deeper than ${SCHEMA_MAX_DEPTH}`
  if (Buffer.byteLength(JSON.stringify(value)) > SCHEMA_MAX_BYTES) {
    return `is larger than ${SCHEMA_MAX_BYTES / 1024} KiB`
  }
  return value as JsonObject
}

/** The schema of arguments is that of an object, whether it says so or says nothing. */
const decodeInputSchema = (value: unknown, quote: Quote): JsonObject | string => {
  const schema = decodeSchema(value)
  if (typeof schema === "string") return schema
  const type = schema["type"]
  if (type === undefined || type === "object") return schema
  return `has the type ${quote(typeof type === "string" ? type : JSON.stringify(type))} instead of "object"`
}

/** Of a tool that says nothing of its arguments. */
const EMPTY_PARAMETERS: JsonObject = { type: "object", properties: {} }

const decodeTaskSupport = (execution: unknown): ToolDefinition["taskSupport"] => {
  const support = isObject(execution) ? execution["taskSupport"] : undefined
  return support === "required" || support === "optional" ? support : "forbidden"
}

export const decodeTool = (raw: unknown, quote: Quote = quoted): Decoded<ToolDefinition> => {
  if (!isObject(raw)) return rejected("a tool that is not an object")
  const name = raw["name"]
  if (typeof name !== "string" || name.trim() === "") return rejected("a tool without a name")
  if (name.length > TOOL_NAME_MAX_CHARS) return rejected(`tool ${quote(name)}: its name is too long`)
  const isSchemaMissing = raw["inputSchema"] === undefined || raw["inputSchema"] === null
  const inputSchema = isSchemaMissing ? EMPTY_PARAMETERS : decodeInputSchema(raw["inputSchema"], quote)
  if (typeof inputSchema === "string") return rejected(`tool ${quote(name)}: its inputSchema ${inputSchema}`)
  const outputSchema = raw["outputSchema"] === undefined ? undefined : decodeSchema(raw["outputSchema"])
  const annotations =
    isObject(raw["annotations"]) && withinBounds(raw["annotations"], ANNOTATIONS_MAX_DEPTH, ANNOTATIONS_MAX_NODES)
      ? raw["annotations"]
      : undefined
  return {
    ok: true,
    ...(isSchemaMissing && { note: `tool ${quote(name)} has no inputSchema: it is taken as one without parameters` }),
    value: {
      name,
      title: shownText(raw["title"]) ?? shownText(annotations?.["title"]),
      description: text(raw["description"]),
      inputSchema,
      // An unusable output schema costs the schema, not the tool.
      outputSchema: typeof outputSchema === "string" ? undefined : outputSchema,
      annotations: annotations as JsonObject | undefined,
      taskSupport: decodeTaskSupport(raw["execution"])
    }
  }
}

export const decodeResource =
  (uriKey: "uri" | "uriTemplate") =>
  (raw: unknown): Decoded<ResourceDefinition> => {
    if (!isObject(raw)) return rejected("a resource that is not an object")
    const uri = raw[uriKey]
    if (typeof uri !== "string" || uri === "" || uri.length > URI_MAX_CHARS)
      return rejected(`a resource without a usable ${uriKey}`)
    return {
      ok: true,
      value: {
        uri,
        name: shownText(raw["name"]) ?? uri,
        title: shownText(raw["title"]),
        description: text(raw["description"]),
        mimeType: shownText(raw["mimeType"]),
        size: typeof raw["size"] === "number" && raw["size"] >= 0 ? raw["size"] : undefined
      }
    }
  }

export const decodePrompt = (raw: unknown): Decoded<PromptDefinition> => {
  if (!isObject(raw)) return rejected("a prompt that is not an object")
  const name = raw["name"]
  if (typeof name !== "string" || name.trim() === "" || name.length > TOOL_NAME_MAX_CHARS) {
    return rejected("a prompt without a usable name")
  }
  const given = Array.isArray(raw["arguments"]) ? raw["arguments"] : []
  return {
    ok: true,
    value: {
      name,
      title: shownText(raw["title"]),
      description: text(raw["description"]),
      arguments: given.filter(isObject).flatMap((argument) =>
        typeof argument["name"] === "string"
          ? [
              {
                name: argument["name"],
                description: text(argument["description"]),
                required: argument["required"] === true
              }
            ]
          : []
      )
    }
  }
}

/** Decodes a list, one after the other; what cannot be used, and every exact duplicate after the first, becomes a diagnostic. */
export const makeDecoding = <A>(
  decode: (value: unknown, quote: Quote) => Decoded<A>,
  key: (value: A) => string,
  quote: Quote = quoted,
  /** Whether there is room for one more that can be used. */
  hasRoom: (value: A) => boolean = () => true
) => {
  const values = new Map<string, A>()
  const diagnostics: Array<string> = []
  return {
    /** `false` when there is no room for it. */
    add: (item: unknown): boolean => {
      const decoded = decode(item, quote)
      if (!decoded.ok) diagnostics.push(`left out ${decoded.reason}`)
      else if (values.has(key(decoded.value))) diagnostics.push(`left out a second ${quote(key(decoded.value))}`)
      else if (!hasRoom(decoded.value)) return false
      else {
        values.set(key(decoded.value), decoded.value)
        if (decoded.note !== undefined) diagnostics.push(decoded.note)
      }
      return true
    },
    decoded: (): { readonly values: ReadonlyArray<A>; readonly diagnostics: ReadonlyArray<string> } => ({
      values: [...values.values()],
      diagnostics
    })
  }
}

export const decodeAll = <A>(
  raw: ReadonlyArray<unknown>,
  ...how: Parameters<typeof makeDecoding<A>>
): ReturnType<ReturnType<typeof makeDecoding<A>>["decoded"]> => {
  const decoding = makeDecoding(...how)
  for (const item of raw) decoding.add(item)
  return decoding.decoded()
}
