/**
 * What becomes of an answer that is too long for one result: which of its parts stand in it, and where the others are cut into pieces,
 * each of which fits a message. The pieces of a part, one after the other, are that part byte for byte.
 */
import { decodedBytes } from "../data/Base64.ts"
import { outsideOfWrapped } from "../content/Boundaries.ts"
import {
  ORDER_LINK_MAX_BYTES,
  ORDER_PIECE_MAX_BYTES,
  ORDER_PIECE_MAX_CHARS,
  ORDER_RESULT_MAX_BYTES
} from "../defaults/Orders.ts"
import type { OrderPart } from "./OrderAnswer.ts"
import { onCharacter } from "../content/TextWindow.ts"

/** One piece of a part, and the address by which it is read. */
export interface Piece {
  readonly uri: string
  /** Of the piece: that of the medium only where it is the whole of it. */
  readonly mimeType: string
  readonly bytes: number
}

/** A part of an answer that is behind links. */
export interface LinkedPart {
  readonly name: string
  readonly mimeType: string
  readonly bytes: number
  /** In their order. None when there was no room for it. */
  readonly pieces: ReadonlyArray<Piece>
}

const BASE64_BYTES = 3
const BASE64_CHARS = 4
const PIECE_OF_MEDIA_CHARS = (ORDER_PIECE_MAX_BYTES / BASE64_BYTES) * BASE64_CHARS

/** Of a part as it is sent: base64 for a medium. */
export const sentOf = (part: OrderPart): string => (part.type === "text" ? part.text : part.data)

/** Where each piece of a part ends, in what is sent of it. What a server said stays in one piece with its boundaries. */
export const endsOf = (part: OrderPart): ReadonlyArray<number> => {
  const sent = sentOf(part)
  const step = part.type === "text" ? ORDER_PIECE_MAX_CHARS : PIECE_OF_MEDIA_CHARS
  const ends: Array<number> = []
  for (let end = 0; end < sent.length;) {
    const next = Math.min(sent.length, end + step)
    end = part.type === "text" && next < sent.length ? outsideOfWrapped(sent, end, onCharacter(sent, next)) : next
    ends.push(end)
  }
  return ends
}

/** Bytes of a piece as its reader gets them. */
export const bytesOf = (part: OrderPart, from: number, to: number): number => {
  const piece = sentOf(part).slice(from, to)
  return part.type === "text" ? Buffer.byteLength(piece) : decodedBytes(piece)
}

/** What a part takes of a result: words stand there twice, in `content` and in `structuredContent`. */
const weightOf = (part: OrderPart, max: number): number => {
  if (part.type !== "text") return part.data.length
  return part.text.length * 2 > max ? Infinity : Buffer.byteLength(JSON.stringify(part.text)) * 2
}

/**
 * The parts that do not fit one result, in their order; none where all of them fit. Words have their place before media, and the
 * first of each before the next.
 */
export const overOf = (
  parts: ReadonlyArray<OrderPart>,
  max: number = ORDER_RESULT_MAX_BYTES
): ReadonlyArray<OrderPart> => {
  const links = parts.reduce((sum, part) => sum + Math.max(1, endsOf(part).length), 0)
  let room = max - links * ORDER_LINK_MAX_BYTES
  const over = new Set<OrderPart>()
  const place = (part: OrderPart) => {
    const weight = weightOf(part, max)
    if (weight > room) over.add(part)
    else room -= weight
  }
  for (const part of parts) if (part.type === "text") place(part)
  for (const part of parts) if (part.type === "media") place(part)
  return parts.filter((part) => over.has(part))
}

// ---- addresses -----------------------------------------------------------------------------------------------------

const PREFIX = "mcp-live://order/"
const ADDRESS = /^mcp-live:\/\/order\/([\w-]{32})\/(\d{1,4})\/(\d{1,4})$/

export interface PieceAddress {
  /** Of the answer: nobody can guess it. */
  readonly id: string
  /** Both count from 1. */
  readonly part: number
  readonly piece: number
}

export const uriOfPiece = ({ id, part, piece }: PieceAddress): string => `${PREFIX}${id}/${part}/${piece}`

export const readPieceUri = (uri: string): PieceAddress | undefined => {
  const [, id, part, piece] = ADDRESS.exec(uri) ?? []
  return id === undefined ? undefined : { id, part: Number(part), piece: Number(piece) }
}
