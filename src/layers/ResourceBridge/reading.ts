/**
 * What a server answered to `resources/read`: one text between boundaries and images for a model, and its pieces, cleaned,
 * for a program. One budget for both.
 */
import { isBase64, readBlob, sizeOfBase64 } from "../../schemas/ContentBlock.ts"
import { IMAGES_MAX_CHARS, SHOWN_URI_MAX_CHARS, URI_MAX_CHARS } from "../../schemas/Defaults.ts"
import type { Finding } from "../../schemas/Finding.ts"
import { isObject } from "../../schemas/Json.ts"
import type { ResourcePiece, ResourceReading } from "../../schemas/Resource.ts"
import type { Budget } from "../../schemas/ServerConfig.ts"
import { cleanWithin, inLine, mergeFindings, shareOut } from "../../schemas/ServerText.ts"
import { fit } from "../../schemas/TextBudget.ts"
import type { Content, ImageContent } from "../../schemas/Tool.ts"
import type { ContentSanitizer } from "../../services/ContentSanitizer.ts"

type Sanitizer = ContentSanitizer["Service"]

export interface ReadingOrigin {
  readonly server: string
  readonly uri: string
}

/** The pieces of a result, also where the list around them was forgotten. */
const contentsOf = (raw: unknown): ReadonlyArray<unknown> | undefined => {
  if (!isObject(raw)) return undefined
  const contents = raw["contents"]
  return Array.isArray(contents) ? contents : isObject(contents) ? [contents] : undefined
}

/** One piece as it came, its words cleaned. */
interface Received {
  readonly uri: string
  readonly mimeType: string | undefined
  readonly text: string | undefined
  /** As the server typed it. */
  readonly blob: { readonly data: string; readonly mimeType: unknown } | undefined
}

const receive = (raw: unknown, origin: ReadingOrigin, { label }: Sanitizer): Received | undefined => {
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
  blobRoom: number
  imageRoom: number
}

const headerOf = ({ mimeType, uri }: Received, { label }: Sanitizer) =>
  `[Resource: ${inLine(uri, label, SHOWN_URI_MAX_CHARS)}${mimeType === undefined ? "" : `, ${mimeType}`}]\n`

const readText = (
  read: Read,
  piece: Received,
  text: string,
  maxBytes: number,
  sanitizer: Sanitizer,
  alone: boolean
) => {
  const fitted = cleanWithin(text, maxBytes, sanitizer.clean)
  read.findings.push(...fitted.findings)
  if (fitted.note !== undefined) read.notes.add(fitted.note)
  if (piece.blob !== undefined) read.notes.add("of a piece with both text and binary data only the text is read")
  read.pieces.push({ uri: piece.uri, mimeType: piece.mimeType, text: fitted.text })
  read.sections.push(alone ? fitted.text : headerOf(piece, sanitizer) + fitted.text)
}

const readBinary = (read: Read, { blob, mimeType, uri }: Received, { clean, label }: Sanitizer) => {
  if (blob === undefined) return
  const { data } = blob
  const seen = readBlob({ blob: data, mimeType: blob.mimeType, uri }, label, read.imageRoom)
  if (seen?.text !== undefined) read.sections.push(seen.text)
  if (seen?.note !== undefined) read.notes.add(seen.note)
  if (seen?.image !== undefined) {
    read.images.push(seen.image)
    read.imageRoom -= data.length
  } else {
    // A known secret may be in it in base64: then it is not for programs either.
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
  const received = looked.flatMap((raw) => receive(raw, origin, sanitizer) ?? [])
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
    blobRoom: budget.bytes - textBytes,
    imageRoom: IMAGES_MAX_CHARS
  }
  for (const [i, piece] of received.entries()) {
    if (piece.text === undefined) readBinary(read, piece, sanitizer)
    else readText(read, piece, piece.text, shares[i]!, sanitizer, contents.length === 1)
  }
  if (received.length < looked.length) read.notes.add(`malformed pieces left out: ${looked.length - received.length}`)
  const over = contents.length - looked.length
  if (over > 0) {
    read.sections.push(`[… ${over} of ${contents.length} pieces left out …]`)
    read.notes.add(`pieces left out: ${over} of ${contents.length}`)
  }
  const content = contentFor(read, origin, budget, sanitizer)
  return {
    server: origin.server,
    uri: origin.uri,
    content,
    pieces: read.pieces,
    findings: mergeFindings(read.findings),
    notes: [...read.notes]
  }
}

const contentFor = (
  { findings, images, notes, sections }: Read,
  origin: ReadingOrigin,
  { bytes }: Budget,
  sanitizer: Sanitizer
): ReadonlyArray<Content> => {
  if (!sections.some((text) => /\S/.test(text))) {
    return images.length === 0 ? [{ type: "text", text: "(no content)" }] : images
  }
  const fitted = fit(sections, bytes, sanitizer.clean)
  const wrapped = sanitizer.wrap(fitted.text, origin)
  findings.push(...wrapped.findings)
  if (fitted.note !== undefined) notes.add(fitted.note)
  return [{ type: "text", text: wrapped.text }, ...images]
}
