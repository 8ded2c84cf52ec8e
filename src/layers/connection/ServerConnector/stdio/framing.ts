/**
 * Newline-delimited framing: bytes in, lines out. It takes linear time, keeps split characters intact and is bounded: the bytes of a line are
 * in one buffer, so that single bytes take no more memory than one chunk. A line over the limit is skipped, and reported with its
 * two ends.
 */
import type { Reader } from "../rpc/feed.ts"

export interface LineHandler {
  readonly onLine: (line: string) => void
  /** Head and tail of a line that was too long. */
  readonly onOversize: (head: string, tail: string) => void
  /** The head alone, as soon as a line is too long, because it may never end. Returns `true` if that is enough. */
  readonly onOverflow?: (head: string) => boolean
}

const NEWLINE = 10
/** Enough of a message to find the request that it answers. */
const HEAD_BYTES = 512
const TAIL_BYTES = 512
/** The buffer that is kept between lines. */
const ROOM_BYTES = 64 * 1024

export const makeLineReader = (limitBytes: number, handler: LineHandler, headBytes = HEAD_BYTES): Reader => {
  let room = Buffer.alloc(0)
  let size = 0
  // Of a line over the limit, only its ends are kept.
  let head: Buffer | undefined
  let tail = Buffer.alloc(0)
  let isKnown = false
  let isWithin = false

  const keep = (piece: Buffer) => {
    if (piece.length === 0) return
    const before = size
    size += piece.length
    if (head === undefined && size <= limitBytes) {
      if (size > room.length) {
        const larger = Buffer.allocUnsafe(Math.max(size, Math.min(2 * room.length, limitBytes)))
        room.copy(larger, 0, 0, before)
        room = larger
      }
      piece.copy(room, before)
      return
    }
    if (head === undefined) {
      head = Buffer.from(Buffer.concat([room.subarray(0, Math.min(before, headBytes)), piece]).subarray(0, headBytes))
      tail = Buffer.from(room.subarray(Math.max(0, before - TAIL_BYTES), before))
      room = Buffer.alloc(0)
      isKnown = handler.onOverflow?.(head.toString("utf8")) ?? false
    }
    tail = Buffer.from(Buffer.concat([tail, piece.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES))
  }

  const end = () => {
    const line = head === undefined && size > 0 ? room.toString("utf8", 0, size) : undefined
    const ends = head === undefined || isKnown ? undefined : ([head.toString("utf8"), tail.toString("utf8")] as const)
    if (room.length > ROOM_BYTES) room = Buffer.alloc(0)
    size = 0
    head = undefined
    tail = Buffer.alloc(0)
    isKnown = false
    if (line !== undefined) handler.onLine(line)
    if (ends !== undefined) handler.onOversize(...ends)
  }

  const push = (chunk: Buffer, isOver?: () => boolean): Buffer | undefined => {
    let start = 0
    isWithin = false
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      // The common case: a whole line in one chunk is decoded in place.
      if (size === 0 && newline - start <= limitBytes) {
        if (newline > start) handler.onLine(chunk.toString("utf8", start, newline))
      } else {
        keep(chunk.subarray(start, newline))
        end()
      }
      start = newline + 1
      if (start < chunk.length && isOver?.() === true) return chunk.subarray(start)
    }
    keep(start === 0 ? chunk : chunk.subarray(start))
    isWithin = start === 0 && head === undefined
    return undefined
  }

  return {
    push,
    end,
    isWithin: () => isWithin,
    size: () => size,
    isSkipping: () => head !== undefined
  }
}
