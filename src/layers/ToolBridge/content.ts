/**
 * The content blocks of a result as text and images. What an agent has no type for becomes a sentence that says what it
 * was; a block that makes no sense costs only itself.
 */
import { CUT_MARGIN_CHARS, IMAGE_MAX_CHARS, LABEL_MAX_CHARS, SHOWN_URI_MAX_CHARS } from "../../schemas/Defaults.ts"
import { isObject } from "../../schemas/Json.ts"
import { formatBytes } from "../../schemas/Rendering.ts"
import type { ImageContent } from "../../schemas/Tool.ts"
import type { ContentSanitizer } from "../../services/ContentSanitizer.ts"

type Label = ContentSanitizer["Service"]["label"]

export interface Blocks {
  /** The server's words, not yet cleaned, and sentences of ours with cleaned words in them. */
  readonly texts: ReadonlyArray<string>
  readonly images: ReadonlyArray<ImageContent>
  readonly notes: ReadonlyArray<string>
}

/** What one block became. */
interface Shown {
  readonly text?: string
  readonly image?: ImageContent
  readonly note?: string
}

type Block = Readonly<Record<string, unknown>>

/** Reads at most `maxBlocks` blocks. */
export const readBlocks = (blocks: ReadonlyArray<unknown>, maxBlocks: number, label: Label): Blocks => {
  const [only] = blocks
  // What nearly every result is.
  if (blocks.length === 1 && maxBlocks > 0 && isObject(only) && only["type"] === "text") {
    if (typeof only["text"] === "string") return { texts: [only["text"]], images: [], notes: [] }
  }
  const texts: Array<string> = []
  const images: Array<ImageContent> = []
  const notes: Array<string> = []
  let malformed = 0
  for (let i = 0; i < blocks.length && i < maxBlocks; i++) {
    const block = blocks[i]
    const shown = isObject(block) ? readBlock(block, label) : undefined
    if (shown === undefined) malformed++
    else {
      if (shown.text !== undefined) texts.push(shown.text)
      if (shown.image !== undefined) images.push(shown.image)
      if (shown.note !== undefined && !notes.includes(shown.note)) notes.push(shown.note)
    }
  }
  if (malformed > 0) notes.push(`malformed content blocks left out: ${malformed}`)
  const over = blocks.length - maxBlocks
  if (over > 0) {
    texts.push(`[… ${over} of ${blocks.length} content blocks left out: ask for less or in parts …]`)
    notes.push(`content blocks left out: ${over} of ${blocks.length}`)
  }
  return { texts, images, notes }
}

/** `undefined` for a block that is malformed. */
const readBlock = (block: Block, label: Label): Shown | undefined => {
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string" ? { text: block["text"] } : undefined
    case "image":
      return readImage(block["data"], block["mimeType"], label)
    case "audio":
      return readAudio(block["data"], block["mimeType"], label)
    case "resource":
      return isObject(block["resource"]) ? readResource(block["resource"], label) : undefined
    case "resource_link":
      return readLink(block, label)
    default:
      return typeof block["type"] === "string"
        ? {
            text: `[Content of the unknown type "${shown(block["type"], label)}"]`,
            note: "content of an unknown type is named, not shown"
          }
        : undefined
  }
}

// ---- images and sounds ---------------------------------------------------------------------------------------------

const IMAGE_TYPE = /^image\/[a-z0-9][a-z0-9.+-]{0,63}$/i

/** Looks at each character once; nothing is decoded. */
const isBase64 = (data: string): boolean => {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0
  const digits = data.length - padding
  if (digits === 0 || digits % 4 === 1 || (padding > 0 && data.length % 4 !== 0)) return false
  const firstForeign = data.search(/[^A-Za-z0-9+/]/)
  return firstForeign === -1 || firstForeign === digits
}

const sizeOfBase64 = (data: string) => formatBytes(Math.floor((data.length * 3) / 4))

const readImage = (data: unknown, mimeType: unknown, label: Label): Shown | undefined => {
  if (typeof data !== "string") return undefined
  const problem =
    data.length > IMAGE_MAX_CHARS
      ? "too large"
      : typeof mimeType !== "string" || !IMAGE_TYPE.test(mimeType)
        ? "no image type"
        : isBase64(data)
          ? undefined
          : "not base64"
  return problem === undefined
    ? { image: { type: "image", data, mimeType: mimeType as string } }
    : {
        text: `[Image: ${shown(mimeType, label)}, ${sizeOfBase64(data)}, ${problem}]`,
        note: `an image is named, not shown: ${problem}`
      }
}

const readAudio = (data: unknown, mimeType: unknown, label: Label): Shown | undefined =>
  typeof data === "string"
    ? { text: `[Audio: ${shown(mimeType, label)}, ${sizeOfBase64(data)}]`, note: "audio is named, not played" }
    : undefined

// ---- resources -----------------------------------------------------------------------------------------------------

const readResource = ({ blob, mimeType, text, uri }: Block, label: Label): Shown | undefined => {
  const where = shown(uri, label, SHOWN_URI_MAX_CHARS)
  const type = typeof mimeType === "string" ? `, ${shown(mimeType, label)}` : ""
  if (typeof text === "string") return { text: `[Resource: ${where}${type}]\n${text}` }
  if (typeof blob !== "string") return undefined
  if (typeof mimeType === "string" && mimeType.startsWith("image/")) return readImage(blob, mimeType, label)
  return {
    text: `[Binary resource: ${where}${type}, ${sizeOfBase64(blob)}]`,
    note: "a binary resource is named, not shown"
  }
}

/** A link is shown and never followed: whoever wants what is behind it asks its server for it. */
const readLink = ({ mimeType, name, title, uri }: Block, label: Label): Shown | undefined => {
  if (typeof uri !== "string") return undefined
  const type = typeof mimeType === "string" ? `, ${shown(mimeType, label)}` : ""
  const called = typeof name === "string" ? name : title
  return { text: `[Resource link: ${shown(called, label)} (${shown(uri, label, SHOWN_URI_MAX_CHARS)})${type}]` }
}

/** A server's word within a sentence of ours. */
const shown = (word: unknown, label: Label, maxChars = LABEL_MAX_CHARS): string =>
  typeof word === "string" ? label(word.slice(0, maxChars + CUT_MARGIN_CHARS), maxChars) : "unknown"
