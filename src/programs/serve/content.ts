/**
 * Converts results for a client. Its model reads them, so text stays as the sanitizer made it, between boundaries. Sounds,
 * files and links, which an agent only gets a description of, are sent as they came from the server.
 */
import * as Effect from "effect/Effect"
import { isBase64 } from "../../schemas/content/ContentBlock.ts"
import { isObject, type JsonObject } from "../../schemas/data/Json.ts"
import { isMediaType } from "../../schemas/content/Media.ts"
import type { AgentPrompt, PromptResult } from "../../schemas/content/Prompt.ts"
import type { ResourceReading } from "../../schemas/content/Resource.ts"
import type { StructuredContent } from "../../schemas/listener/ServeConfig.ts"
import type { Content, LinkWords, Original, ResultDetails, ToolResult } from "../../schemas/call/Tool.ts"
import { uriOf } from "./addresses.ts"

/** Returns the text of a handle, while it is kept. */
export type ReadKept = (handle: string) => Effect.Effect<string | undefined>

const BYTES = "application/octet-stream"

/** A member that is left out when its value is `undefined`. */
export const optional = (name: string, value: unknown): JsonObject =>
  value === undefined ? {} : ({ [name]: value } as JsonObject)

/** Only valid media types: they are outside of any boundary. */
export const typeOf = (mimeType: string | undefined): string | undefined =>
  mimeType !== undefined && isMediaType(mimeType) ? mimeType : undefined

const textBlock = (text: string): JsonObject => ({ type: "text", text })

const toBlock = (content: Content): JsonObject =>
  content.type === "text" ? textBlock(content.text) : { type: "image", data: content.data, mimeType: content.mimeType }

/** Where content came from. */
type Source = ResultDetails["externalContent"]

// ---- content types that agents do not have -------------------------------------------------------------------------

/** The name says who gave it, because it is outside of any boundary. Of the other attributes only the size is kept. */
const quotedWords = ({ name, size, title }: LinkWords, uri: string, server: string): JsonObject => ({
  name: `${JSON.stringify(name ?? title ?? uri)} (so says the MCP server ${JSON.stringify(server)})`,
  ...optional("size", size)
})

/** MCP requires a name. */
const toLink = ({ link = {}, mimeType, uri }: Original, { server, untrusted }: Source): ReadonlyArray<JsonObject> =>
  uri === undefined
    ? []
    : [
        {
          type: "resource_link",
          uri,
          ...optional("mimeType", typeOf(mimeType)),
          ...(untrusted ? quotedWords(link, uri, server) : { ...link, name: link.name ?? link.title ?? uri })
        } as JsonObject
      ]

const toMedia = ({ bytes, mimeType: given, type, uri }: Original, data: string | undefined): JsonObject => {
  const mimeType = typeOf(given)
  const what = `${mimeType ?? type}, ${bytes} bytes`
  // The data was kept by another process, or has expired.
  if (data === undefined) return textBlock(`[${what}: no longer kept]`)
  if (data !== "" && !isBase64(data))
    return textBlock(`[${what}: left out, because it contains a known secret or is not base64]`)
  return type === "blob"
    ? { type: "resource", resource: { uri: uri ?? "attachment:", ...optional("mimeType", mimeType), blob: data } }
    : { type, mimeType: mimeType ?? BYTES, data }
}

const toOriginal = (given: Original, source: Source, readKept: ReadKept): Effect.Effect<ReadonlyArray<JsonObject>> => {
  const original = given.uri === undefined ? given : { ...given, uri: uriOf(source.server, given.uri) }
  const { data, handle, type } = original
  if (type === "resource_link") return Effect.succeed(toLink(original, source))
  const kept = data === undefined && handle !== undefined ? readKept(handle) : Effect.succeed(data)
  return Effect.map(kept, (whole) => [toMedia(original, whole)])
}

// ---- tools ---------------------------------------------------------------------------------------------------------

const isTrusted = ({ details }: ToolResult) => "externalContent" in details && !details.externalContent.untrusted

/** If the server is trusted, or if the configuration allows it. */
const mayPass = (result: ToolResult, whose: StructuredContent): boolean =>
  whose === "always" || (whose === "trusted" && isTrusted(result))

const MISSING =
  "[The call was executed. Its structured content, for which the tool has a schema, is left out; the result has nothing else.]"

/** `promised`: whether the client was given a schema. It would then reject a result without structured content. */
export const toCallResult = (
  result: ToolResult,
  {
    promised,
    readKept,
    structured
  }: {
    readonly promised: boolean
    readonly readKept: ReadKept
    readonly structured: StructuredContent
  }
): Effect.Effect<JsonObject> => {
  const { content, details, isError, structuredContent } = result
  const media =
    "originals" in details && details.originals !== undefined
      ? Effect.forEach(details.originals, (original) => toOriginal(original, details.externalContent, readKept))
      : Effect.succeed([])
  const passed = isObject(structuredContent) && mayPass(result, structured) ? structuredContent : undefined
  const isMissing = promised && passed === undefined && !isError
  return Effect.map(media, (blocks) => ({
    content: [...content.map(toBlock), ...blocks.flat(), ...(isMissing ? [textBlock(MISSING)] : [])],
    ...optional("structuredContent", passed),
    ...(isError || isMissing ? { isError: true } : {})
  }))
}

// ---- resources -----------------------------------------------------------------------------------------------------

const textOf = (content: ReadonlyArray<Content>): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

/**
 * `uri` is what the client asked for. The contents of a trusted server go out as they are; those of other servers as one text
 * between boundaries, plus binary data.
 */
export const toReadResult = (reading: ResourceReading, uri: string, isTrustedServer: boolean): JsonObject => {
  const { content, notes, pieces } = reading
  const named = (piece: string) => (piece === reading.uri ? uri : uriOf(reading.server, piece))
  const toPiece = (piece: ResourceReading["pieces"][number]): JsonObject => ({
    uri: named(piece.uri),
    ...optional("mimeType", typeOf(piece.mimeType)),
    ...("text" in piece ? { text: piece.text } : { blob: piece.blob })
  })
  if (isTrustedServer && reading.withheld !== true) return { contents: pieces.map(toPiece) }
  const blobs = pieces.filter((piece) => "blob" in piece)
  const text = textOf(content)
  // Data that the client gets anyway needs no sentence about it.
  const isTold = text !== "" && (blobs.length < pieces.length || blobs.length === 0 || notes.some(saysLeftOut))
  const shown = isTold ? [{ uri, mimeType: "text/plain", text }] : []
  return { contents: [...shown, ...blobs.map(toPiece)] }
}

const saysLeftOut = (note: string) => note.includes("left out")

// ---- prompts -------------------------------------------------------------------------------------------------------

export const toPrompt = ({ arguments: args, description, name, title }: AgentPrompt): JsonObject => ({
  name,
  ...optional("title", title),
  ...(description === "" ? {} : { description }),
  arguments: args.map((one) => ({
    name: one.name,
    ...(one.description === "" ? {} : { description: one.description }),
    required: one.required
  }))
})

/** In the protocol, a message has one block. */
export const toPromptResult = ({ description, messages }: PromptResult): JsonObject => ({
  ...optional("description", description),
  messages: messages.flatMap(({ content, role }) => content.map((block) => ({ role, content: toBlock(block) })))
})
