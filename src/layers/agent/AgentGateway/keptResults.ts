/** Reads stored tool results: rebuilds them from known, valid parts, or rejects them. */
import { CONTENT_MODES } from "../../../schemas/content/ContentPolicy.ts"
import { FINDING_KINDS, type Finding } from "../../../schemas/content/Finding.ts"
import { isObject, type Json } from "../../../schemas/data/Json.ts"
import type {
  Content,
  ErrorDetails,
  LinkWords,
  Original,
  ResultDetails,
  ToolAnnotations,
  ToolResult
} from "../../../schemas/call/Tool.ts"

const ORIGINALS: ReadonlySet<unknown> = new Set(["audio", "image", "blob", "resource_link"])
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

const isText = (given: unknown): given is string => typeof given === "string"
const isFlag = (given: unknown): given is boolean => typeof given === "boolean"
const isCount = (given: unknown): given is number => typeof given === "number" && given >= 0
const isOptional = (given: unknown): given is string | undefined => given === undefined || isText(given)

/** `undefined` when it is not a list, or one of its items is invalid. */
const readAll = <A>(given: unknown, read: (item: unknown) => A | undefined): ReadonlyArray<A> | undefined => {
  if (!Array.isArray(given)) return undefined
  const all = given.map(read)
  return all.includes(undefined) ? undefined : (all as ReadonlyArray<A>)
}

const readContent = (given: unknown): Content | undefined => {
  if (!isObject(given)) return undefined
  const { data, mimeType, text, type } = given
  if (type === "text") return isText(text) ? { type, text } : undefined
  return type === "image" && isText(data) && isText(mimeType) ? { type, data, mimeType } : undefined
}

const readFinding = (given: unknown): Finding | undefined => {
  if (!isObject(given)) return undefined
  const { count, detail, kind } = given
  const known = FINDING_KINDS.find((each) => each === kind)
  return known !== undefined && isText(detail) && isCount(count) ? { kind: known, detail, count } : undefined
}

const readLink = ({ description, name, size, title }: Record<string, unknown>): LinkWords => ({
  ...(isText(name) ? { name } : {}),
  ...(isText(title) ? { title } : {}),
  ...(isText(description) ? { description } : {}),
  ...(isCount(size) ? { size } : {})
})

const readOriginal = (given: unknown): Original | undefined => {
  if (!isObject(given)) return undefined
  const { bytes, data, handle, link, mimeType, type, uri } = given
  if (!ORIGINALS.has(type) || !isCount(bytes)) return undefined
  if (![data, handle, mimeType, uri].every(isOptional)) return undefined
  return {
    type: type as Original["type"],
    bytes,
    mimeType: mimeType as string | undefined,
    uri: uri as string | undefined,
    ...(isText(data) ? { data } : {}),
    ...(isText(handle) ? { handle } : {}),
    ...(isObject(link) ? { link: readLink(link) } : {})
  }
}

const readAnnotations = (given: Record<string, unknown>): ToolAnnotations =>
  Object.fromEntries(HINTS.flatMap((hint) => (isFlag(given[hint]) ? [[hint, given[hint]]] : [])))

const readFailure = (given: Record<string, unknown>): ErrorDetails | undefined => {
  const { error, findings: found } = given
  if (!isObject(error)) return undefined
  const { maybeExecuted, server, tag, tool } = error
  const findings = found === undefined ? undefined : readAll(found, readFinding)
  if (!isText(tag) || !isOptional(server) || !isText(tool) || !isFlag(maybeExecuted)) return undefined
  if (found !== undefined && findings === undefined) return undefined
  return { error: { tag, server, tool, maybeExecuted }, ...(findings === undefined ? {} : { findings }) }
}

const readDetails = (given: unknown): ResultDetails | ErrorDetails | undefined => {
  if (!isObject(given)) return undefined
  if ("error" in given) return readFailure(given)
  const { annotations, externalContent: external, handle, withheld } = given
  if (!isObject(external)) return undefined
  const mode = CONTENT_MODES.find((each) => each === external["mode"])
  const { server, tool, untrusted, wrapped } = external
  const findings = readAll(given["findings"], readFinding)
  const notes = readAll(given["notes"], (note) => (isText(note) ? note : undefined))
  const originals = given["originals"] === undefined ? [] : readAll(given["originals"], readOriginal)
  if (mode === undefined || !isFlag(untrusted) || !isText(server) || !isText(tool) || !isFlag(wrapped)) return undefined
  if (findings === undefined || notes === undefined || originals === undefined) return undefined
  return {
    externalContent: { untrusted, source: "mcp_server", server, tool, mode, wrapped },
    ...(withheld === true ? { withheld } : {}),
    findings,
    notes,
    ...(originals.length === 0 ? {} : { originals }),
    ...(isText(handle) ? { handle } : {}),
    ...(isObject(annotations) ? { annotations: readAnnotations(annotations) } : {})
  }
}

export const readResult = (given: unknown): ToolResult | undefined => {
  if (!isObject(given)) return undefined
  const { isError, structuredContent } = given
  const content = readAll(given["content"], readContent)
  const details = readDetails(given["details"])
  if (content === undefined || details === undefined || !isFlag(isError)) return undefined
  // Parsed from JSON, so it is JSON.
  return {
    content,
    isError,
    details,
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as Json })
  }
}
