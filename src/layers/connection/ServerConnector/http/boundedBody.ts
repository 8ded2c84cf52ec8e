/**
 * Bodies of HTTP answers, kept in bounds as they are read: how long they are, what is in them for a parser, and how much of
 * everybody's time they take. Nothing is passed on that would be built without bound behind.
 */
import {
  JSON_UNSEEN_MAX,
  MESSAGE_MAX_BYTES,
  STREAM_PIECE_BYTES,
  STREAM_PIECE_MAX_BYTES,
  STREAM_UNUSABLE_MS
} from "../../../../schemas/defaults/Wire.ts"
import type { Allowance } from "../../../../system/allowance.ts"
import { makeEventFilter, type EventFilter, type MessageTaker } from "./eventFilter.ts"
import { makeByteBounds, type TextBounds } from "../../../../schemas/connection/JsonBounds.ts"
import { makeTurns } from "../../../../system/turns.ts"

/** A body that went over its limit. */
export class BodyTooLarge extends Error {
  readonly limitBytes: number
  constructor(limitBytes: number) {
    super(`the answer is larger than ${limitBytes} bytes`)
    this.limitBytes = limitBytes
  }
}

/** A body that is not worth parsing: nested too deep, or of too many values. */
export class BodyTooDeep extends Error {
  constructor() {
    super("the answer is nested too deep or holds too much")
  }
}

export type Unusable = BodyTooLarge | BodyTooDeep
type Body = ReadableStream<Uint8Array>

const LF = 10
const CR = 13
const DATA = [..."data:"].map((letter) => letter.charCodeAt(0))
const NOTHING = new Uint8Array(0)

/** Of a body that is only quoted, or that nobody reads: what is over the limit is left out. */
export const firstOf = (body: Body, limit: number): Body => {
  let seen = 0
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        seen += chunk.byteLength
        if (seen <= limit) return controller.enqueue(chunk)
        controller.enqueue(chunk.subarray(0, chunk.byteLength - (seen - limit)))
        controller.terminate()
      }
    })
  )
}

/**
 * Lines end with LF, CR or both; from here on with LF alone, and at once: the parser behind would wait for what follows a
 * CR, also at the end of a stream.
 */
const lineFeeds = () => {
  let afterReturn = false
  return (chunk: Uint8Array): Uint8Array => {
    const first = afterReturn && chunk[0] === LF ? 1 : 0
    if (chunk.byteLength > 0) afterReturn = chunk.at(-1) === CR
    let carriage = chunk.indexOf(CR)
    if (carriage === -1) return chunk.subarray(first)
    const plain = new Uint8Array(chunk.byteLength)
    let [from, length] = [first, 0]
    for (; carriage !== -1; carriage = chunk.indexOf(CR, from)) {
      plain.set(chunk.subarray(from, carriage), length)
      length += carriage - from
      plain[length++] = LF
      from = carriage + (chunk[carriage + 1] === LF ? 2 : 1)
    }
    plain.set(chunk.subarray(from), length)
    return plain.subarray(0, length + chunk.byteLength - from)
  }
}

interface Examiner {
  /** Bytes as the parser behind would have them. */
  readonly plain?: (chunk: Uint8Array) => Uint8Array
  /** Why what has come until now is not to be used. */
  readonly examine: (piece: Uint8Array) => Unusable | undefined
  /** Whether what was examined last is only a part of one message. */
  readonly isPart: () => boolean
  /** What of it is passed on at all. */
  readonly filter?: EventFilter | undefined
}

/** Many lines are many messages, each of them work; one that is long is none before its end. */
const nextPiece = (chunk: Uint8Array, at: number): Uint8Array => {
  const piece = chunk.subarray(at, at + STREAM_PIECE_MAX_BYTES)
  const end = piece.indexOf(LF, STREAM_PIECE_BYTES)
  return end === -1 ? piece : piece.subarray(0, end + 1)
}

/**
 * Passes a body on piece by piece, as it is asked for. What is done with a piece has been done when the next one is asked
 * for, so that time is counted, too.
 */
const inTurns = (
  body: Body,
  { examine, filter, isPart, plain }: Examiner,
  allowance: Allowance,
  onUnusable: (why: Unusable) => void
): Body => {
  const reader = body.getReader()
  const turns = makeTurns(allowance)
  const rest = () => new Promise<void>((resolve) => turns.rest(resolve))
  /** Who has used up the allowance pays before it is read, whatever it is that comes. */
  const paid = () =>
    new Promise<void>((resolve) => {
      setTimeout(() => allowance.enqueue(resolve), allowance.waitMs(performance.now())).unref()
    })
  let isFirst = true
  let passedOn = 0
  let chunk: Uint8Array = NOTHING
  let [at, worked] = [0, false]
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          let passed: Uint8Array = NOTHING
          while (passed.byteLength === 0) {
            // Not more than the messages of one piece ever wait.
            await filter?.caughtUp()
            if (worked && turns.end(performance.now(), isPart())) await rest()
            if (isFirst && allowance.isSpent()) await paid()
            isFirst = false
            while (at >= chunk.byteLength) {
              const { done, value } = await reader.read()
              if (done) {
                const left = filter?.end() ?? NOTHING
                if (left.byteLength > 0) controller.enqueue(left)
                return controller.close()
              }
              chunk = plain === undefined ? value : plain(value)
              at = 0
            }
            turns.begin(performance.now())
            worked = true
            const piece = nextPiece(chunk, at)
            at += piece.byteLength
            passedOn += piece.byteLength
            const why = examine(piece)
            if (why !== undefined) {
              chunk = NOTHING
              // It is no answer to anybody, and its memory has to be collected.
              turns.end(performance.now())
              allowance.spend((passedOn / STREAM_PIECE_MAX_BYTES) * STREAM_UNUSABLE_MS, performance.now())
              onUnusable(why)
              controller.error(why)
              return await reader.cancel(why)
            }
            passed = filter?.push(piece) ?? piece
          }
          controller.enqueue(passed)
        } catch (error) {
          controller.error(error)
        }
      },
      cancel: (reason) => {
        filter?.abandon()
        return reader.cancel(reason)
      }
    },
    { highWaterMark: 0 }
  )
}

const examineJson = (limit: number, within?: TextBounds): Examiner => {
  const bounds = makeByteBounds(within)
  let seen = 0
  let unseen: Array<Uint8Array> = []
  return {
    isPart: () => true,
    examine: (piece) => {
      seen += piece.byteLength
      if (seen > limit) return new BodyTooLarge(limit)
      unseen.push(piece)
      if (seen <= JSON_UNSEEN_MAX) return undefined
      const pieces = unseen
      unseen = []
      return pieces.every((each) => bounds.pass(each)) ? undefined : new BodyTooDeep()
    }
  }
}

/** Counts the bytes since the last empty line, and of its lines of data what is JSON in them. */
const examineEvents = (limit: number, within?: TextBounds): Examiner => {
  const bounds = makeByteBounds(within)
  let [sinceBreak, inLine] = [0, 0]
  // Before the first line may stand marks of an encoding, which the parser takes off: it counts whatever it is.
  let [isFirst, isData] = [true, true]
  let isPart = false
  return {
    plain: lineFeeds(),
    isPart: () => isPart,
    examine: (piece) => {
      isPart = true
      for (let at = 0; at < piece.byteLength;) {
        const newline = piece.indexOf(LF, at)
        const end = newline === -1 ? piece.byteLength : newline
        sinceBreak += end - at
        if (!isFirst) {
          for (; at < end && inLine < DATA.length; at++) if (piece[at] !== DATA[inLine++]) isData = false
        }
        if (at < end) {
          inLine = DATA.length
          if (isData && !bounds.pass(piece, at, end)) return new BodyTooDeep()
        }
        if (newline === -1) break
        sinceBreak = inLine === 0 ? 0 : sinceBreak + 1
        if (inLine === 0) {
          bounds.next()
          isPart = false
        } else bounds.endLine()
        inLine = 0
        isData = true
        isFirst = false
        at = end + 1
        if (sinceBreak > limit) return new BodyTooLarge(limit)
      }
      return sinceBreak > limit ? new BodyTooLarge(limit) : undefined
    }
  }
}

/** A whole body of JSON: a parser would build all of it before anybody could look at it. */
export const jsonOf = (body: Body, allowance: Allowance, within?: TextBounds): Body =>
  inTurns(body, examineJson(MESSAGE_MAX_BYTES, within), allowance, () => {})

/**
 * Server-sent events go on for ever, but a single one may not. `onUnusable` is told before the stream fails; `taker` gets
 * what is no answer.
 */
export const eventsOf = (
  body: Body,
  allowance: Allowance,
  onUnusable: (why: Unusable) => void,
  taker?: MessageTaker,
  within?: TextBounds
): Body => {
  const filter = taker === undefined ? undefined : makeEventFilter(taker)
  return inTurns(body, { ...examineEvents(MESSAGE_MAX_BYTES, within), filter }, allowance, onUnusable)
}
