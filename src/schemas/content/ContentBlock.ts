/**
 * Reads one content block of a server as text or image. A block that the agent has no type for becomes a sentence that
 * describes it. Texts are still the server's own; its words in our sentences are clean.
 */
import type { Cleaner } from "./Cleaner.ts"
import { IMAGE_MAX_CHARS } from "../defaults/Results.ts"
import { SHOWN_URI_MAX_CHARS } from "../defaults/Texts.ts"
import { formatBytes } from "./Rendering.ts"
import { wordOf, type Label } from "./ServerText.ts"
import type { ImageContent } from "../call/Tool.ts"
import { isObject } from "../data/Json.ts"

/** The result for one block. */
export interface ShownBlock {
  readonly text?: string
  readonly image?: ImageContent
  /** In our own words, what the agent only got a description of. */
  readonly note?: string
}

type Raw = Readonly<Record<string, unknown>>
type Words = Pick<Cleaner, "clean" | "holdsSecret" | "label">

/** `undefined` for a malformed block. An image may have `imageRoom` characters of base64. */
export const readBlock = (block: unknown, words: Words, imageRoom: number): ShownBlock | undefined => {
  const { label } = words
  if (!isObject(block) || typeof block["type"] !== "string") return undefined
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string" ? { text: block["text"] } : undefined
    case "image":
      return readImage(block["data"], block["mimeType"], words, imageRoom)
    case "audio":
      return readAudio(block["data"], block["mimeType"], label)
    case "resource":
      return readEmbedded(block["resource"], words, imageRoom)
    case "resource_link":
      return readLink(block, label)
    default:
      return {
        text: `[Content of the unknown type "${wordOf(block["type"], label)}"]`,
        note: "content of an unknown type is named, not shown"
      }
  }
}

/** What is wrong with a malformed block, in our own words. */
export const faultIn = (block: unknown): string => {
  if (!isObject(block)) return `${kindOf(block)} in place of a block`
  const { resource, type } = block
  switch (type) {
    case "text":
      return "a text block without text"
    case "image":
    case "audio":
      return `an ${type} block without data`
    case "resource":
      return isObject(resource) ? "a resource without text or data" : "a resource block without a resource"
    case "resource_link":
      return "a link without an address"
    default:
      return "a block without a type"
  }
}

/** The type of a JSON value, for a sentence. */
export const kindOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "a list" : isObject(value) ? "an object" : `a ${typeof value}`

// ---- images and sounds ---------------------------------------------------------------------------------------------

const IMAGE_TYPE = /^image\/[a-z0-9][a-z0-9.+-]{0,63}$/i

const paddingOf = (data: string) => (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0)

/** Examines each character once; decodes nothing. */
export const isBase64 = (data: string): boolean => {
  const padding = paddingOf(data)
  const digits = data.length - padding
  if (digits === 0 || digits % 4 === 1 || (padding > 0 && data.length % 4 !== 0)) return false
  const firstForeign = data.search(/[^A-Za-z0-9+/]/)
  return firstForeign === -1 || firstForeign === digits
}

export const sizeOfBase64 = (data: string) => formatBytes(Math.floor(((data.length - paddingOf(data)) * 3) / 4))

/** A type that consists of letters may still be a known secret. */
const isImageType = (mimeType: unknown, { clean }: Words): mimeType is string =>
  typeof mimeType === "string" && IMAGE_TYPE.test(mimeType) && clean(mimeType).text === mimeType

const readImage = (data: unknown, mimeType: unknown, words: Words, room: number): ShownBlock | undefined => {
  const { holdsSecret, label } = words
  if (typeof data !== "string") return undefined
  const problem =
    data.length > Math.min(IMAGE_MAX_CHARS, room)
      ? "too large"
      : !isImageType(mimeType, words)
        ? "not of an image type"
        : !isBase64(data)
          ? "not base64"
          : holdsSecret(data)
            ? "with a known secret in it"
            : undefined
  return problem === undefined
    ? { image: { type: "image", data, mimeType: mimeType as string } }
    : {
        text: `[Image: ${wordOf(mimeType, label)}, ${sizeOfBase64(data)}, ${problem}]`,
        note: `an image is named, not shown: ${problem}`
      }
}

const readAudio = (data: unknown, mimeType: unknown, label: Label): ShownBlock | undefined =>
  typeof data === "string"
    ? { text: `[Audio: ${wordOf(mimeType, label)}, ${sizeOfBase64(data)}]`, note: "audio is named, not played" }
    : undefined

// ---- resources -----------------------------------------------------------------------------------------------------

const typeOf = (mimeType: unknown, label: Label) => (typeof mimeType === "string" ? `, ${wordOf(mimeType, label)}` : "")

const readEmbedded = (resource: unknown, words: Words, imageRoom: number): ShownBlock | undefined => {
  if (!isObject(resource)) return undefined
  const { label } = words
  const { mimeType, text, uri } = resource
  if (typeof text !== "string") return readBlob(resource, words, imageRoom)
  return { text: `[Resource: ${wordOf(uri, label, SHOWN_URI_MAX_CHARS)}${typeOf(mimeType, label)}]\n${text}` }
}

/** The binary content of a resource: an image, or a sentence. */
export const readBlob = ({ blob, mimeType, uri }: Raw, words: Words, imageRoom: number): ShownBlock | undefined => {
  const { label } = words
  if (typeof blob !== "string") return undefined
  if (typeof mimeType === "string" && mimeType.startsWith("image/")) return readImage(blob, mimeType, words, imageRoom)
  const where = wordOf(uri, label, SHOWN_URI_MAX_CHARS)
  return {
    text: `[Binary resource: ${where}${typeOf(mimeType, label)}, ${sizeOfBase64(blob)}]`,
    note: "a binary resource is named, not shown"
  }
}

/** Links are shown and never followed: the linked resource has to be read at its server. */
const readLink = ({ mimeType, name, title, uri }: Raw, label: Label): ShownBlock | undefined => {
  if (typeof uri !== "string") return undefined
  const called = wordOf(typeof name === "string" ? name : title, label)
  return { text: `[Resource link: ${called} (${wordOf(uri, label, SHOWN_URI_MAX_CHARS)})${typeOf(mimeType, label)}]` }
}
