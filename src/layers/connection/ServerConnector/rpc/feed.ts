/**
 * Gives the bytes of a stream to a reader, in turns with everything else, so that a server that floods us has to wait. The reader turns
 * them into messages: lines of stdio, events or the body of an HTTP response.
 */
import type { Readable } from "node:stream"
import type { Allowance } from "../../../../system/allowance.ts"
import { JSON_UNSEEN_MAX } from "../../../../schemas/defaults/Wire.ts"
import { Party, type LargeWork } from "../../../../system/largeWork.ts"
import type { LongPlaces } from "../../../../system/longPlaces.ts"
import { makeTurns } from "../../../../system/turns.ts"

export interface Reader {
  /** Stops when `isOver` says so, which it asks after each message or after a few, and returns what it has not read. */
  readonly push: (chunk: Buffer, isOver?: () => boolean) => Buffer | undefined
  /** The stream has ended. */
  readonly end: () => void
  /** Whether the last chunk was only a part of a message. */
  readonly isWithin: () => boolean
  /** The bytes of the message that has begun. */
  readonly size: () => number
  /** Whether the last chunk was part of a message that is too long. */
  readonly isSkipping: () => boolean
}

export interface Feed {
  /** The process has ended: the rest is read without an allowance, but still in turns. */
  readonly drain: () => void
  /** Whether bytes that were read wait for their turn. */
  readonly hasMore: () => boolean
}

/** What the turns of one server depend on. */
export interface FeedTurns {
  readonly allowance: Allowance
  readonly large: LargeWork
  /** The places for long messages. Without them, a long message needs none. */
  readonly longPlaces?: LongPlaces | undefined
}

/** `onEnd` is called when everything was read. The `end` of the stream may come before, while the last chunk waits for its turn. */
export const feed = (
  stream: Readable,
  reader: Reader,
  { allowance, large, longPlaces }: FeedTurns,
  onEnd: () => void = () => {}
): Feed => {
  let isLast = false
  const party = new Party()
  const place = longPlaces?.ofStream()
  const turns = makeTurns({ ...allowance, isSpent: () => !isLast && allowance.isSpent() })
  const isOver = () => turns.isOver(performance.now())
  /** Whether a message has begun that needs a turn of its own. */
  const isLong = () => reader.size() > JSON_UNSEEN_MAX
  let rest: Buffer | undefined
  let [waits, ended] = [false, false]

  /** Returns whether all of it is read and there is time for more. */
  const work = (chunk: Buffer): boolean => {
    turns.begin(performance.now())
    rest = reader.push(chunk, isOver)
    if (!isLong()) place?.giveBack()
    const now = performance.now()
    const over = reader.isSkipping() ? turns.endSkipping(now) : turns.end(now, reader.isWithin())
    return rest === undefined && !over && !isLong()
  }

  /** Number of the turn that is waited for, because another one may come first. */
  let turn = 0
  const go = (at: number) => {
    if (at !== turn) return
    turn++
    // Node destroys a stream that has ended; its last bytes still count.
    if (stream.destroyed && !ended) return
    if (rest !== undefined && !work(rest)) return wait()
    waits = false
    if (ended) onEnd()
    else stream.resume()
  }

  const wait = () => {
    waits = true
    stream.pause()
    const at = turn
    // The end of a long line means much work at once.
    const inOwnTurn = () => large.inOwnTurn(() => go(at), party)
    const whenPlaced = place === undefined ? inOwnTurn : () => place.take(reader.size(), inOwnTurn)
    turns.rest(isLong() ? whenPlaced : () => go(at))
  }

  if (place !== undefined) stream.on("close", place.end)
  stream.on("data", (chunk: Buffer) => {
    if (!work(chunk)) wait()
  })
  stream.on("end", () => {
    ended = true
    if (waits) return
    if (!isLong()) return onEnd()
    // A long message without a line break at its end is read only now.
    waits = true
    const at = turn
    large.inOwnTurn(() => go(at), party)
  })

  return {
    drain: () => {
      isLast = true
      const at = turn
      if (waits) setImmediate(() => go(at))
    },
    hasMore: () => waits
  }
}
