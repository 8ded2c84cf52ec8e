/** Converts content between ACP and our own types. The client gets the complete content of a server. */
import type { ContentBlock, ToolCallContent } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { toBase64 } from "../../schemas/data/Base64.ts"
import { isBase64 } from "../../schemas/content/ContentBlock.ts"
import { unbounded } from "../../schemas/content/Boundaries.ts"
import type { Original, ToolResult } from "../../schemas/call/Tool.ts"
import type { UserPart, UserSource, UserText } from "../../schemas/agent/UserMessage.ts"

const BYTES = "application/octet-stream"

// ---- from the client -----------------------------------------------------------------------------------------------

const sourceOf = (uri: string, mediaType: string | null | undefined) => ({
  uri,
  ...(typeof mediaType === "string" ? { mediaType } : {})
})

const FRAME_BYTES = 8

/** Between lines with a random number, which the content cannot forge. */
const framed = (uri: string, text: string): string => {
  const id = randomBytes(FRAME_BYTES).toString("hex")
  return `<resource id="${id}" uri=${JSON.stringify(uri.toWellFormed())}>\n${text}\n</resource id="${id}">`
}

const unframed = (text: string): string => text.slice(text.indexOf("\n") + 1, Math.max(0, text.lastIndexOf("\n")))

const fromBlock = (block: ContentBlock): ReadonlyArray<UserPart> => {
  switch (block.type) {
    case "text":
      return [{ type: "text", text: block.text }]
    case "image":
    case "audio":
      return [{ type: "file", mediaType: block.mimeType, data: block.data }]
    case "resource_link":
      return [
        {
          type: "text",
          text: `[${block.title ?? block.name}](${block.uri})`,
          source: { kind: "link", ...sourceOf(block.uri, block.mimeType), name: block.name }
        }
      ]
    case "resource": {
      const { resource } = block
      return "text" in resource
        ? [
            {
              type: "text",
              text: framed(resource.uri, resource.text),
              source: { kind: "resource", ...sourceOf(resource.uri, resource.mimeType) }
            }
          ]
        : [{ type: "file", mediaType: resource.mimeType ?? BYTES, data: resource.blob, name: resource.uri }]
    }
    default:
      return []
  }
}

/** Half a character is no text: models refuse it, and to write many of them as JSON takes half a second for each 12 MB. */
const whole = (part: UserPart): UserPart => {
  if (part.type === "text") {
    const { source, text } = part
    return { ...part, text: text.toWellFormed(), ...(source !== undefined && { source: wholeSource(source) }) }
  }
  const { data, name } = part
  return {
    ...part,
    ...(typeof data === "string" && { data: data.toWellFormed() }),
    ...(name !== undefined && { name: name.toWellFormed() })
  }
}

const wholeSource = (source: UserSource): UserSource => ({
  ...source,
  uri: source.uri.toWellFormed(),
  ...(source.name !== undefined && { name: source.name.toWellFormed() })
})

/** What the person sent, in order. */
export const fromPrompt = (prompt: ReadonlyArray<ContentBlock>): ReadonlyArray<UserPart> =>
  prompt.flatMap(fromBlock).map(whole)

// ---- to the client -------------------------------------------------------------------------------------------------

const toMedia = (mediaType: string, data: string, uri: string | undefined): ContentBlock => {
  if (mediaType.startsWith("image/")) return { type: "image", mimeType: mediaType, data }
  if (mediaType.startsWith("audio/")) return { type: "audio", mimeType: mediaType, data }
  return { type: "resource", resource: { uri: uri ?? "attachment:", mimeType: mediaType, blob: data } }
}

const toSource = (text: string, { kind, mediaType, name, uri }: UserSource): ContentBlock => {
  const mimeType = mediaType === undefined ? {} : { mimeType: mediaType }
  return kind === "link"
    ? { type: "resource_link", uri, name: name ?? uri, ...mimeType }
    : { type: "resource", resource: { uri, ...mimeType, text: unframed(text) } }
}

const toText = ({ source, text }: UserText): ContentBlock =>
  source === undefined ? { type: "text", text } : toSource(text, source)

/** As the person sent it. */
export const fromPart = (part: UserPart): ContentBlock => {
  if (part.type === "text") return toText(part)
  const data = toBase64(part.data)
  return isMedia(data) ? toMedia(part.mediaType, data, part.name) : notMedia(part.mediaType, data)
}

/** What replaces a known secret. */
const MASK = "[REDACTED]"

const isMedia = (data: string) => data === "" || isBase64(data)

/** A client that tries to show this may fail, so it gets a text. */
const notMedia = (what: string, data: string): ContentBlock => ({
  type: "text",
  text: data.includes(MASK)
    ? `[${what}: left out, because it contains a known secret]`
    : `[${what}: left out, because its data is not base64]`
})

/** Returns the text of a handle, while it is kept. */
export type ReadKept = (handle: string) => Effect.Effect<string | undefined>

const fromOriginal = (
  { bytes, data: given, handle, link, mimeType, type, uri }: Original,
  readKept: ReadKept
): Effect.Effect<ReadonlyArray<ContentBlock>> => {
  if (type === "resource_link") {
    const mime = mimeType === undefined ? {} : { mimeType }
    // ACP requires a name.
    return Effect.succeed(
      uri === undefined
        ? []
        : [{ type: "resource_link", uri, ...mime, ...link, name: link?.name ?? link?.title ?? uri }]
    )
  }
  const kept = given === undefined && handle !== undefined ? readKept(handle) : Effect.succeed(given)
  return Effect.map(kept, (data): ReadonlyArray<ContentBlock> => {
    // The data was kept by another process, or has expired.
    if (data === undefined) return [{ type: "text", text: `[${mimeType ?? type}, ${bytes} bytes: no longer kept]` }]
    if (!isMedia(data)) return [notMedia(mimeType ?? type, data)]
    if (type === "blob") {
      const resource = { uri: uri ?? "attachment:", mimeType: mimeType ?? null, blob: data }
      return [{ type: "resource", resource }]
    }
    return [{ type, mimeType: mimeType ?? BYTES, data }]
  })
}

/**
 * Everything that a tool returned: its text without the boundaries for models, and its media, including types that no model
 * accepts.
 */
export const fromResult = (
  { content, details }: ToolResult,
  readKept: ReadKept
): Effect.Effect<Array<ToolCallContent>> => {
  const shown = content.map((block): ContentBlock =>
    block.type === "text"
      ? { type: "text", text: unbounded(block.text) }
      : isMedia(block.data)
        ? { type: "image", mimeType: block.mimeType, data: block.data }
        : notMedia(block.mimeType, block.data)
  )
  const originals = "originals" in details && details.originals !== undefined ? details.originals : []
  return Effect.map(
    Effect.forEach(originals, (original) => fromOriginal(original, readKept)),
    (media) => [...shown, ...media.flat()].map((block) => ({ type: "content", content: block }))
  )
}

/** The rest of a result, for a program. Without media, which are large and sent already. */
export const rawOutput = ({ content, details, isError, structuredContent }: ToolResult): unknown => ({
  isError,
  text: content.flatMap((block) => (block.type === "text" ? [unbounded(block.text)] : [])).join("\n"),
  ...(structuredContent === undefined ? {} : { structuredContent }),
  ...("error" in details ? { error: details.error } : {}),
  ...("notes" in details && details.notes.length > 0 ? { notes: details.notes } : {}),
  ...("findings" in details && details.findings !== undefined && details.findings.length > 0
    ? { findings: details.findings }
    : {})
})
