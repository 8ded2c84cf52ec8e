/**
 * Reads the content blocks of a result: texts, images, and what the texts only describe, for programs. An invalid block
 * affects only itself.
 */
import { remembering, type Cleaner, type Remembering } from "../../../schemas/content/Cleaner.ts"
import { faultIn, readBlock, sizeOfBase64, type ShownBlock } from "../../../schemas/content/ContentBlock.ts"
import { IMAGE_MAX_CHARS, IMAGES_MAX_CHARS, RESULT_LABELS_MAX_CHARS } from "../../../schemas/defaults/Results.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { inOneLine } from "../../../schemas/data/Whitespace.ts"
import type { ImageContent, Original } from "../../../schemas/call/Tool.ts"

/** A block that the text only describes, in the server's own words. */
export interface Found {
  readonly type: Original["type"]
  readonly mimeType: unknown
  readonly uri: unknown
  /** Supposedly base64; `undefined` for a link. */
  readonly data: string | undefined
  /** A link, with its attributes. */
  readonly link?: Readonly<Record<string, unknown>>
}

export interface Blocks {
  /** The server's text, not cleaned yet, and our sentences with cleaned words in them. */
  readonly texts: ReadonlyArray<string>
  readonly images: ReadonlyArray<ImageContent>
  readonly found: ReadonlyArray<Found>
  readonly notes: ReadonlyArray<string>
  /** What is wrong with each block that was left out, in our own words. */
  readonly faults: ReadonlyArray<string>
  /** What cleaned the words in our sentences; `undefined` when there were none. */
  readonly words: Remembering | undefined
}

/** Reads at most `maxBlocks` blocks. */
export const readBlocks = (blocks: ReadonlyArray<unknown>, maxBlocks: number, cleaner: Cleaner): Blocks => {
  const [only] = blocks
  // The fast path for nearly every result.
  if (blocks.length === 1 && maxBlocks > 0 && isObject(only) && only["type"] === "text") {
    const { text } = only
    if (typeof text === "string")
      return { texts: [text], images: [], found: NOTHING, notes: [], faults: [], words: undefined }
  }
  let words: Remembering | undefined
  const texts: Array<string> = []
  const images: Array<ImageContent> = []
  const found: Array<Found> = []
  const notes = new Set<string>()
  const faults: Array<string> = []
  let imageRoom = IMAGES_MAX_CHARS
  for (let i = 0; i < blocks.length && i < maxBlocks; i++) {
    const shown = readBlock(
      blocks[i],
      isText(blocks[i]) ? cleaner : (words ??= remembering(cleaner, { chars: RESULT_LABELS_MAX_CHARS })),
      imageRoom
    )
    if (shown === undefined) {
      faults.push(faultIn(blocks[i]))
      continue
    }
    if (shown.text !== undefined) texts.push(shown.text)
    if (shown.note !== undefined) notes.add(shown.note)
    if (shown.image !== undefined) {
      images.push(shown.image)
      imageRoom -= shown.image.data.length
    } else {
      const named = foundIn(blocks[i] as Record<string, unknown>)
      if (named !== undefined) found.push(named)
    }
  }
  return { texts, images, found, notes: [...notes], faults, words }
}

/** A text block needs no sentence of ours. */
const isText = (block: unknown): boolean => isObject(block) && block["type"] === "text"

const NOTHING: ReadonlyArray<Found> = []

/**
 * The texts of blocks beyond the limit, which are only kept and are cleaned when they are read. There may be a million of
 * them, so the words in our sentences are only put on one line.
 */
export const restTexts = (blocks: ReadonlyArray<unknown>, from: number): ReadonlyArray<string> => {
  const texts: Array<string> = []
  for (let i = from; i < blocks.length; i++) texts.push(sentenceOf(readBlock(blocks[i], UNCLEANED, IMAGE_MAX_CHARS)))
  return texts
}

const UNCLEANED: Pick<Cleaner, "clean" | "holdsSecret" | "label"> = {
  holdsSecret: () => false,
  clean: (text) => ({ text, findings: [] }),
  // A word that is too long is left out: of a secret at a cut, a part would stay that nobody recognizes later.
  label: (word, maxChars) => (word.length <= maxChars ? inOneLine(word) : "…")
}

const sentenceOf = (shown: ShownBlock | undefined): string => {
  if (shown?.image !== undefined) return `[Image: ${shown.image.mimeType}, ${sizeOfBase64(shown.image.data)}]`
  return shown?.text ?? "[A malformed content block]"
}

/** The data of a block that the text only describes. */
const foundIn = (block: Readonly<Record<string, unknown>>): Found | undefined => {
  const { data, mimeType, resource, type, uri } = block
  if (type === "resource_link") return { type, mimeType, uri, data: undefined, link: block }
  if (type === "image" || type === "audio") return { type, mimeType, uri: undefined, data: data as string }
  // If a resource has both, its text is shown.
  if (type !== "resource" || !isObject(resource) || typeof resource["text"] === "string") return undefined
  return { type: "blob", mimeType: resource["mimeType"], uri: resource["uri"], data: resource["blob"] as string }
}
