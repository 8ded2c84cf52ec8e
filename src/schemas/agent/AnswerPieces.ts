/**
 * Splits an answer that is too long for one result: decides which parts stay in it, and where the others are cut into pieces
 * that each fit a message. The pieces of a part, joined in order, are that part byte for byte.
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

/** One piece of a part, and the URI to read it by. */
export interface Piece {
  readonly uri: string
  /** The type of the piece: that of the medium only if the piece is the whole medium. */
  readonly mimeType: string
  readonly bytes: number
}

/** A part of an answer that is replaced by links. */
export interface LinkedPart {
  readonly name: string
  readonly mimeType: string
  readonly bytes: number
  /** In order. Empty when there was no room for it. */
  readonly pieces: ReadonlyArray<Piece>
}

const BASE64_BYTES = 3
const BASE64_CHARS = 4
const PIECE_OF_MEDIA_CHARS = (ORDER_PIECE_MAX_BYTES / BASE64_BYTES) * BASE64_CHARS

/** A part as it is sent: media as base64. */
export const sentOf = (part: OrderPart): string => (part.type === "text" ? part.text : part.data)

/** Where each piece of a part ends, in its sent form. Text of a server stays in one piece with its boundaries. */
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

/** The size of a piece for its reader, in bytes. */
export const bytesOf = (part: OrderPart, from: number, to: number): number => {
  const piece = sentOf(part).slice(from, to)
  return part.type === "text" ? Buffer.byteLength(piece) : decodedBytes(piece)
}

/** The space of a part in a result: text occurs twice, in `content` and in `structuredContent`. */
const weightOf = (part: OrderPart, max: number): number => {
  if (part.type !== "text") return part.data.length
  return part.text.length * 2 > max ? Infinity : Buffer.byteLength(JSON.stringify(part.text)) * 2
}

/** The parts that do not fit into one result, in order. Text has priority over media, and earlier parts over later ones. */
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

// ---- URIs ----------------------------------------------------------------------------------------------------------

const PREFIX = "mcp-live://order/"
const ADDRESS = /^mcp-live:\/\/order\/([\w-]{32})\/(\d{1,4})\/(\d{1,4})$/

export interface PieceAddress {
  /** The id of the answer; nobody can guess it. */
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
