/**
 * Converts a `resources/read` result: one text between boundaries and images for a model, and cleaned contents for a program,
 * within one budget.
 */
import { remembering, type Cleaner, type Remembering } from "../../../schemas/content/Cleaner.ts"
import { isBase64, readBlob, sizeOfBase64 } from "../../../schemas/content/ContentBlock.ts"
import { DEFAULT_CONTENT_POLICY, withheldFor, type ContentPolicy } from "../../../schemas/content/ContentPolicy.ts"
import { IMAGES_MAX_CHARS, RESULT_LABELS_MAX_CHARS } from "../../../schemas/defaults/Results.ts"
import { SHOWN_URI_MAX_CHARS, URI_MAX_CHARS } from "../../../schemas/defaults/Texts.ts"
import { removedBefore, type Finding } from "../../../schemas/content/Finding.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import type { ResourcePiece, ResourceReading } from "../../../schemas/content/Resource.ts"
import type { Budget } from "../../../schemas/connection/ServerConfig.ts"
import { cleanWithin, inLine, mergeFindings, shareOut } from "../../../schemas/content/ServerText.ts"
import { fit } from "../../../schemas/content/TextBudget.ts"
import type { Content, ImageContent } from "../../../schemas/call/Tool.ts"
import type { ContentSanitizer } from "../../../services/content/ContentSanitizer.ts"

type Sanitizer = ContentSanitizer["Service"]

export interface ReadingOrigin {
  readonly server: string
  readonly uri: string
  readonly content?: ContentPolicy
}

/** The contents of a result, even if a server forgot the list around them. */
const contentsOf = (raw: unknown): ReadonlyArray<unknown> | undefined => {
  if (!isObject(raw)) return undefined
  const contents = raw["contents"]
  return Array.isArray(contents) ? contents : isObject(contents) ? [contents] : undefined
}

/** One content as received, with its words cleaned. */
interface Received {
  readonly uri: string
  readonly mimeType: string | undefined
  readonly text: string | undefined
  /** As the server declared it. */
  readonly blob: { readonly data: string; readonly mimeType: unknown } | undefined
}

const receive = (raw: unknown, origin: ReadingOrigin, { label }: Cleaner): Received | undefined => {
  if (!isObject(raw)) return undefined
  const { blob, mimeType, text, uri } = raw
  if (typeof text !== "string" && typeof blob !== "string") return undefined
  return {
    uri: inLine(typeof uri === "string" ? uri : origin.uri, label, URI_MAX_CHARS),
    mimeType: typeof mimeType === "string" ? inLine(mimeType, label) : undefined,
    text: typeof text === "string" ? text : undefined,
    blob: typeof blob === "string" ? { data: blob, mimeType } : undefined
  }
}

/** What has been read so far. */
interface Read {
  readonly pieces: Array<ResourcePiece>
  /** For the model, in order. */
  readonly sections: Array<string>
  readonly images: Array<ImageContent>
  readonly findings: Array<Finding>
  readonly notes: Set<string>
  /** Cleans names, URIs and binary data. */
  readonly words: Remembering
  /** Whether the model gets names and URIs, too. */
  readonly isNamed: boolean
  blobRoom: number
  imageRoom: number
}

const headerOf = ({ mimeType, uri }: Received, { label }: Cleaner) =>
  `[Resource: ${inLine(uri, label, SHOWN_URI_MAX_CHARS)}${mimeType === undefined ? "" : `, ${mimeType}`}]\n`

const readText = (read: Read, piece: Received, text: string, maxBytes: number, sanitizer: Sanitizer) => {
  const fitted = cleanWithin(text, maxBytes, sanitizer.clean)
  read.findings.push(...fitted.findings)
  if (fitted.note !== undefined) read.notes.add(fitted.note)
  if (piece.blob !== undefined) read.notes.add("of a piece with both text and binary data only the text is read")
  read.pieces.push({ uri: piece.uri, mimeType: piece.mimeType, text: fitted.text })
  read.sections.push(read.isNamed ? headerOf(piece, sanitizer) + fitted.text : fitted.text)
}

const readBinary = (read: Read, { blob, mimeType, uri }: Received) => {
  if (blob === undefined) return
  const { data } = blob
  const { clean } = read.words
  const seen = readBlob({ blob: data, mimeType: blob.mimeType, uri }, read.words, read.imageRoom)
  if (seen?.text !== undefined) read.sections.push(seen.text)
  if (seen?.note !== undefined) read.notes.add(seen.note)
  if (seen?.image !== undefined) {
    read.images.push(seen.image)
    read.imageRoom -= data.length
  } else {
    // The base64 may contain a known secret: then programs do not get it either.
    const problem =
      data.length > read.blobRoom ? sizeOfBase64(data) : !isBase64(data) || clean(data).text !== data ? "unusable" : ""
    if (problem !== "") return void read.notes.add(`a binary piece is left out: ${problem}`)
    read.blobRoom -= data.length
  }
  read.pieces.push({ uri, mimeType, blob: data })
}

export const toReading = (
  result: unknown,
  origin: ReadingOrigin,
  budget: Budget,
  sanitizer: Sanitizer
): ResourceReading | undefined => {
  const contents = contentsOf(result)
  if (contents === undefined) return undefined
  const looked = contents.slice(0, budget.blocks)
  const words = remembering(sanitizer, { chars: RESULT_LABELS_MAX_CHARS })
  const received = looked.flatMap((raw) => receive(raw, origin, words) ?? [])
  const shares = shareOut(
    received.map(({ text = "" }) => Buffer.byteLength(text)),
    budget.bytes
  )
  const textBytes = shares.reduce((sum, share) => sum + share, 0)
  const read: Read = {
    pieces: [],
    sections: [],
    images: [],
    findings: [],
    notes: new Set(),
    words,
    isNamed: contents.length > 1 || received[0]?.text === undefined,
    blobRoom: budget.bytes - textBytes,
    imageRoom: IMAGES_MAX_CHARS
  }
  for (const [i, piece] of received.entries()) {
    if (piece.text === undefined) readBinary(read, piece)
    else readText(read, piece, piece.text, shares[i]!, sanitizer)
  }
  if (received.length < looked.length) read.notes.add(`malformed pieces left out: ${looked.length - received.length}`)
  const over = contents.length - looked.length
  if (over > 0) {
    read.sections.push(`[… ${over} of ${contents.length} pieces left out …]`)
    read.notes.add(`pieces left out: ${over} of ${contents.length}`)
  }
  const content = contentFor(read, origin, budget, sanitizer)
  const { server, uri } = origin
  const findings = mergeFindings(read.findings)
  return content === undefined
    ? {
        server,
        uri,
        content: [{ type: "text", text: sanitizer.wrap("", origin, findings).text }],
        pieces: [],
        findings,
        withheld: true,
        notes: []
      }
    : { server, uri, content, pieces: read.pieces, findings, notes: [...read.notes] }
}

/** `undefined` when it may not be shown. */
const contentFor = (
  { findings, images, isNamed, notes, sections, words }: Read,
  origin: ReadingOrigin,
  { bytes }: Budget,
  sanitizer: Sanitizer
): ReadonlyArray<Content> | undefined => {
  const hasText = sections.some((text) => /\S/.test(text))
  const fitted = hasText ? fit(sections, bytes, sanitizer.clean) : undefined
  const ofWords = words.findings()
  findings.push(...(fitted?.findings ?? []), ...(isNamed ? removedBefore(ofWords) : ofWords))
  const wrapped = fitted === undefined ? undefined : sanitizer.wrap(fitted.text, origin, findings)
  findings.push(...(wrapped?.findings ?? []))
  if (fitted?.note !== undefined) notes.add(fitted.note)
  const { content = DEFAULT_CONTENT_POLICY } = origin
  if (wrapped?.withheld === true || withheldFor(content, findings).length > 0) return undefined
  if (wrapped !== undefined) return [{ type: "text", text: wrapped.text }, ...images]
  return images.length === 0 ? [{ type: "text", text: "(no content)" }] : images
}
