/**
 * The bodies of HTTP responses: server-sent events, one whole message, or words to quote. Each reader holds at most one message
 * and works in turns (`rpc/feed.ts`), as the reader of stdio lines does. The decoder of events is Effect's.
 */
import { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import type { ReadableStream } from "node:stream/web"
import * as Duration from "effect/Duration"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { makeParser } from "effect/encoding/Sse"
import {
  HTTP_ERROR_BODY_MAX_BYTES,
  JSON_UNSEEN_MAX,
  MESSAGE_MAX_BYTES,
  STREAM_PIECE_BYTES,
  STREAM_PIECE_MAX_BYTES,
  STREAM_UNUSABLE_MS
} from "../../../../schemas/defaults/Wire.ts"
import type { Allowance } from "../../../../system/allowance.ts"
import { makeRoom } from "../../../../system/messageReader.ts"
import { feed, type FeedTurns, type Reader } from "../rpc/feed.ts"

type Body = ReadableStream<Uint8Array>

/** A body, or one of its events, is longer than a message may be. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge") {
  override readonly message = `the response is larger than ${MESSAGE_MAX_BYTES} bytes`
}

export interface BodyReader extends Reader {
  /** Why the rest of the body is not read. */
  readonly failure: () => BodyTooLarge | undefined
}

// ---- readers -------------------------------------------------------------------------------------------------------

/** Where a stream of events stands: what the next request for it says, and when that is sent. */
export interface Position {
  lastEventId?: string | undefined
  /** The time that the server asks for before the stream is opened again. */
  retryMs?: number | undefined
}

const [LF, CR] = [10, 13]
const NOTHING = Buffer.alloc(0)

/** Many short lines are many messages, so a piece ends with the first line that ends after so many bytes. */
const nextPiece = (chunk: Buffer, at: number): Buffer => {
  const piece = chunk.subarray(at, at + STREAM_PIECE_MAX_BYTES)
  const ends = [LF, CR].map((code) => piece.indexOf(code, STREAM_PIECE_BYTES)).filter((end) => end !== -1)
  return ends.length === 0 ? piece : piece.subarray(0, Math.min(...ends) + 1)
}

const LINE_HEAD_BYTES = 6
/** Possibly behind the mark of the encoding. */
const ID_LINE = /^(?:\xef\xbb\xbf)?id:/

/** Two line ends in a row, of any kind, as an empty line has them before it and behind it. */
const EMPTY_LINES = ["\n\n", "\n\r", "\r\r"].map((ends) => Buffer.from(ends))

/**
 * Server-sent events. `onEvent` is called for each event that has data; `position` follows the stream. The parser counts only the
 * data of an event, so all bytes since the last empty line are counted here.
 */
export const makeEventReader = (position: Position, onEvent: (type: string, data: string) => void): BodyReader => {
  // Keeps the byte order mark, which the parser takes off. A `TextDecoder` would need two bytes for each character of a stream.
  const decoder = new StringDecoder("utf8")
  let last: Buffer = NOTHING
  let sinceBreak = 0
  let isWithin = false
  /** Of the line that has not ended. */
  let [lineHead, lineBytes] = ["", 0]
  let failure: BodyTooLarge | undefined

  const parser = makeParser(
    (event) => {
      if (event._tag === "Retry") {
        position.retryMs = Duration.toMillis(event.duration)
        return
      }
      if (event.id !== undefined) position.lastEventId = event.id === "" ? undefined : event.id
      if (event.data !== "") onEvent(event.event, event.data)
    },
    { maxEventSize: MESSAGE_MAX_BYTES }
  )

  /** The parser keeps the last id of a stream without a bound. Ids are short: a long one ends the stream. */
  const countLine = (piece: Buffer) => {
    const from = Math.max(piece.lastIndexOf(LF), piece.lastIndexOf(CR)) + 1
    if (from > 0) [lineHead, lineBytes] = ["", 0]
    const missing = LINE_HEAD_BYTES - lineHead.length
    if (missing > 0) lineHead += piece.toString("latin1", from, from + missing)
    lineBytes += piece.length - from
    if (lineBytes > JSON_UNSEEN_MAX && ID_LINE.test(lineHead)) failure = new BodyTooLarge()
  }

  const count = (piece: Buffer) => {
    const seam = Buffer.concat([last, piece.subarray(0, 1)])
    last = piece.subarray(-1)
    if (EMPTY_LINES.some((ends) => seam.equals(ends) || piece.includes(ends))) {
      sinceBreak = 0
      isWithin = false
    } else sinceBreak += piece.length
    if (sinceBreak > MESSAGE_MAX_BYTES) failure = new BodyTooLarge()
    countLine(piece)
  }

  return {
    push: (chunk, isOver) => {
      isWithin = true
      for (let at = 0; at < chunk.length;) {
        const piece = nextPiece(chunk, at)
        at += piece.length
        count(piece)
        if (failure !== undefined) return undefined
        parser.feed(decoder.write(piece))
        if (at < chunk.length && isOver?.() === true) return chunk.subarray(at)
      }
      return undefined
    },
    // An event that has no end is no event.
    end: () => {},
    isWithin: () => isWithin,
    size: () => sinceBreak,
    isSkipping: () => false,
    failure: () => failure
  }
}

/** A body that is one message, or a batch of them. Its bytes take less memory than its text, which is made at the end. */
export const makeMessageReader = (onText: (text: string) => void): BodyReader => {
  let room = makeRoom(MESSAGE_MAX_BYTES)
  let size = 0
  let failure: BodyTooLarge | undefined
  return {
    push: (chunk) => {
      size += chunk.length
      if (size > MESSAGE_MAX_BYTES) {
        failure = new BodyTooLarge()
        room = makeRoom(0)
      } else room.add(chunk)
      return undefined
    },
    end: () => onText(new TextDecoder().decode(room.bytes())),
    isWithin: () => true,
    size: () => size,
    isSkipping: () => false,
    failure: () => failure
  }
}

// ---- reading -------------------------------------------------------------------------------------------------------

/** A server that has used up its allowance waits before its next body is read, whatever that holds. */
export const paid = (allowance: Allowance): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(
      () => allowance.enqueue(() => resume(Effect.void)),
      allowance.waitMs(performance.now())
    ).unref()
    return Effect.sync(() => clearTimeout(timer))
  })

/** Reads a body to its end. Interruption closes it. */
export const readBody = (body: Body | null, reader: BodyReader, turns: FeedTurns): Effect.Effect<void, unknown> => {
  if (body === null) return Effect.void
  const { allowance } = turns
  const read = Effect.callback<void, unknown>((resume) => {
    const stream = Readable.fromWeb(body)
    let bytes = 0
    const judged: Reader = {
      ...reader,
      push: (chunk, isOver) => {
        bytes += chunk.length
        const rest = reader.push(chunk, isOver)
        const failure = reader.failure()
        if (failure !== undefined) {
          // It answers nobody, and its memory has to be collected.
          allowance.spend((bytes / STREAM_PIECE_MAX_BYTES) * STREAM_UNUSABLE_MS, performance.now())
          stream.destroy()
          resume(Effect.fail(failure))
        }
        bytes -= rest?.length ?? 0
        return rest
      }
    }
    const onEnd = () => {
      reader.end()
      resume(Effect.void)
    }
    stream.on("error", (error) => resume(Effect.fail(error)))
    feed(stream, judged, turns, onEnd)
    return Effect.sync(() => void stream.destroy())
  })
  return allowance.isSpent() ? Effect.andThen(paid(allowance), read) : read
}

/** The beginning of a body whose words are at most quoted; the rest is not read. */
export const beginningOf = async (body: Body | null): Promise<string> => {
  const decoder = new TextDecoder()
  let [text, left] = ["", HTTP_ERROR_BODY_MAX_BYTES]
  if (body === null) return text
  for await (const chunk of body) {
    text += decoder.decode(chunk.subarray(0, left), { stream: true })
    left -= chunk.byteLength
    if (left <= 0) break
  }
  return text + decoder.decode()
}
