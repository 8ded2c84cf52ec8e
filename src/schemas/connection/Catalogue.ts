/**
 * What one server offers, decoded tolerantly: a faulty definition is left out with a diagnostic, and the others stay. Texts are still the
 * server's own; they are cleaned where they leave the process (ToolBridge).
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

/** A tool as its server describes it, not cleaned. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  /** A JSON Schema with an object at its root. */
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject | undefined
  /** Untrusted hints. */
  readonly annotations: JsonObject | undefined
  /** Whether it can or must be called as a task (2025-11-25, Tasks). */
  readonly taskSupport: "forbidden" | "optional" | "required"
}

/** A resource, or a resource template, as its server describes it, not cleaned. */
export interface ResourceDefinition {
  readonly uri: string
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly mimeType: string | undefined
  /** In bytes, if the server says so. */
  readonly size: number | undefined
}

/** A prompt as its server describes it, not cleaned. */
export interface PromptDefinition {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly description: string; readonly required: boolean }>
}

/** What a server can do besides answering calls. */
export interface Offers {
  readonly resources: boolean
  /** It announces changes of subscribed resources. */
  readonly subscriptions: boolean
  readonly prompts: boolean
  readonly completions: boolean
}

/** What one server offers. Texts are not cleaned. */
export interface Catalogue {
  readonly offers: Offers
  /** The instructions in the server's handshake, if it has any. */
  readonly instructions?: string | undefined
  /** The features that the host declared to the server, as `offeredBy` writes them, if there are any. */
  readonly host?: string | undefined
  readonly tools: ReadonlyArray<ToolDefinition>
  readonly resources: ReadonlyArray<ResourceDefinition>
  readonly resourceTemplates: ReadonlyArray<ResourceDefinition>
  readonly prompts: ReadonlyArray<PromptDefinition>
  /** What was left out, and why, in our own words. */
  readonly diagnostics: ReadonlyArray<string>
  /** The lists that did not fit, in our own words, if there are any. */
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

/** The features that a host declares to a server: `elicitation.form roots`. A server may list other tools for other hosts. */
export const offeredBy = (capabilities: JsonObject): string =>
  Object.entries(capabilities)
    .flatMap(([name, value]) =>
      isObject(value) && name === "elicitation" ? Object.keys(value).map((mode) => `${name}.${mode}`) : [name]
    )
    .toSorted()
    .join(" ")

/** A decoded definition, or why it cannot be used. A `note` is a remark on a definition that can be used. */
export type Decoded<A> =
  | { readonly ok: true; readonly value: A; readonly note?: string }
  | { readonly ok: false; readonly reason: string }

const rejected = (reason: string): Decoded<never> => ({ ok: false, reason })

const text = (value: unknown): string => (typeof value === "string" ? value : "")
/** A blank text counts as missing. */
const shownText = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

/** A server's word within our sentence: short, on one line, without invisible characters. */
export const quoted = (word: string) =>
  JSON.stringify(word.length > QUOTED_NAME_MAX_CHARS ? `${word.slice(0, QUOTED_NAME_MAX_CHARS)}…` : word).replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`
  )

/** Quotes a server's word for a diagnostic. */
export type Quote = (word: string) => string

/** Cleans first: a text that was cut or spelled out is not recognized. */
export const quotedWith =
  (label: Label): Quote =>
  (word) =>
    quoted(inLine(word, label, QUOTED_NAME_MAX_CHARS))

/** A JSON Schema that a model can get, or why it cannot be used. */
const decodeSchema = (value: unknown): JsonObject | string => {
  if (value === undefined) return "is missing"
  if (!isObject(value)) return "is not an object"
  if (!withinBounds(value, SCHEMA_MAX_DEPTH)) return `is nested deeper than ${SCHEMA_MAX_DEPTH}`
  if (Buffer.byteLength(JSON.stringify(value)) > SCHEMA_MAX_BYTES) {
    return `is larger than ${SCHEMA_MAX_BYTES / 1024} KiB`
  }
  return value as JsonObject
}

/** A schema of arguments describes an object, even if it has no `type`. */
const decodeInputSchema = (value: unknown, quote: Quote): JsonObject | string => {
  const schema = decodeSchema(value)
  if (typeof schema === "string") return schema
  const type = schema["type"]
  if (type === undefined || type === "object") return schema
  return `has the type ${quote(typeof type === "string" ? type : JSON.stringify(type))} instead of "object"`
}

/** The schema of a tool without one. */
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
      // If the output schema cannot be used, it is left out and the tool stays.
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

/** Decodes a list item by item. Faulty items, and duplicates after the first, become diagnostics. */
export const makeDecoding = <A>(
  decode: (value: unknown, quote: Quote) => Decoded<A>,
  key: (value: A) => string,
  quote: Quote = quoted,
  /** Whether there is room for one more usable item. */
  hasRoom: (value: A) => boolean = () => true
) => {
  const values = new Map<string, A>()
  const diagnostics: Array<string> = []
  return {
    /** Adds an item; `false` when there is no room for it. */
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
