/**
 * Gives the bytes of a stream to a reader, in turns with everybody else: a server that floods us has to wait. The reader makes
 * messages of them: the lines of stdio, the events or the body of an HTTP response.
 */
import type { Readable } from "node:stream"
import type { Allowance } from "../../../../system/allowance.ts"
import { Party, type LargeWork } from "../../../../system/largeWork.ts"
import { makeTurns } from "../../../../system/turns.ts"

export interface Reader {
  /** Gives what was not read when `isOver` said so; asked after each message, or each few. */
  readonly push: (chunk: Buffer, isOver?: () => boolean) => Buffer | undefined
  /** There is no more: what was begun is a message now, or none. */
  readonly end: () => void
  /** Whether what was pushed last is only a part of a message. */
  readonly isWithin: () => boolean
  /** Whether a message has begun that is long enough to be work. */
  readonly isLong: () => boolean
  /** Whether what was pushed last is part of a message that is too long. */
  readonly isSkipping: () => boolean
}

export interface Feed {
  /** Nothing more can come than what is there by now: it is read without an allowance, but in turns. */
  readonly drain: () => void
  /** Whether something that was read waits for its turn. */
  readonly hasMore: () => boolean
}

/** Whose turns the reader of one server waits for. */
export interface FeedTurns {
  readonly allowance: Allowance
  readonly large: LargeWork
}

/** `onEnd` is called when all of the stream was read: its own `end` may come while what was read last still waits. */
export const feed = (
  stream: Readable,
  reader: Reader,
  { allowance, large }: FeedTurns,
  onEnd: () => void = () => {}
): Feed => {
  let isLast = false
  const party = new Party()
  const turns = makeTurns({ ...allowance, isSpent: () => !isLast && allowance.isSpent() })
  const isOver = () => turns.isOver(performance.now())
  let rest: Buffer | undefined
  let [waits, ended] = [false, false]

  /** Whether all of it is read and there is time for more. */
  const work = (chunk: Buffer): boolean => {
    turns.begin(performance.now())
    rest = reader.push(chunk, isOver)
    const now = performance.now()
    const over = reader.isSkipping() ? turns.endSkipping(now) : turns.end(now, reader.isWithin())
    return rest === undefined && !over && !reader.isLong()
  }

  /** Of the turn that is waited for: another one may come first. */
  let turn = 0
  const go = (at: number) => {
    if (at !== turn) return
    turn++
    // One that has ended is destroyed by itself; what was read of it counts.
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
    // Where a long line ends, there is much to do at once.
    turns.rest(reader.isLong() ? () => large.inOwnTurn(() => go(at), party) : () => go(at))
  }

  stream.on("data", (chunk: Buffer) => {
    if (!work(chunk)) wait()
  })
  stream.on("end", () => {
    ended = true
    if (waits) return
    if (!reader.isLong()) return onEnd()
    // Without a line break at its end, a long message is read only now.
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
