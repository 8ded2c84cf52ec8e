/**
 * What a server sends of its own accord on a stream of events goes to the peer from here; the SDK's transport behind gets the
 * answers, the ids of events and what is no message. Its own reading of a message that is no answer costs so much, and leaves
 * so much behind to be collected, that a flood of them would hold up everybody. Events that are long pass as they are. All
 * messages of a stream arrive in their order, whichever way they take: behind one that passed goes a mark, and what comes
 * after it waits until the transport has given that back.
 */
import { randomUUID } from "node:crypto"
import { EVENT_HELD_MAX_BYTES } from "../../../../schemas/defaults/Wire.ts"
import { isObject } from "../../../../schemas/data/Json.ts"

export interface MessageTaker {
  /** Whether a request of this id waits for its answer. */
  readonly awaits: (id: unknown) => boolean
  /** The data of an event that is no JSON. */
  readonly rubbish?: ((text: string) => void) | undefined
  /** `length` is that of its text. */
  readonly receive: (message: unknown, length: number) => void
  /** Whether the transport behind keeps account of the ids of events. */
  readonly keepsIds: boolean
  readonly marks: Marks
}

/** Messages of our own on the way through a transport, which gives back in order what is passed to it. */
export class Marks {
  readonly #waiting = new Map<unknown, () => void>()

  /** `heard` is called once, when the transport gives the mark back. */
  add(heard: () => void): string {
    const name = randomUUID()
    this.#waiting.set(name, heard)
    return name
  }

  forget(name: string): void {
    this.#waiting.delete(name)
  }

  /** Whether a message from the transport is a mark. */
  hear(message: unknown): boolean {
    if (this.#waiting.size === 0 || !isObject(message)) return false
    const heard = this.#waiting.get(message["method"])
    if (heard === undefined) return false
    this.#waiting.delete(message["method"])
    heard()
    return true
  }
}

const eventOf = (mark: string): string => `data: {"jsonrpc":"2.0","method":"${mark}"}\n\n`

const LF = 10
/** The mark of its encoding, with which a stream may begin. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const NOTHING = Buffer.alloc(0)
const LINE_BREAK = Buffer.from("\n")

/** One field of an event (HTML, Server-sent events › Interpreting an event stream). */
const FIELD = /^(data|event|id|retry)(?::[ ]?|$)(.*)$/s

/** What to do with one event: what is passed on of it, line breaks included, and the message that is taken from it. */
interface Reading {
  /** `undefined` for all of it. */
  readonly passed: string | undefined
  /** Of what is passed as a whole: whether the transport may make a message of it. */
  readonly isMessage?: boolean
  readonly taken?: unknown
  readonly length?: number
}

const read = (event: string, { awaits, keepsIds, rubbish }: MessageTaker): Reading => {
  const data: Array<string> = []
  let kept = ""
  let type = ""
  for (const line of event.split("\n")) {
    const field = FIELD.exec(line)
    if (field === null) continue
    if (field[1] === "data") data.push(field[2]!)
    else if (field[1] === "event") type = field[2]!
    else kept += `${line}\n`
  }
  // An id counts for the transport only on an event of some data, even of none in it.
  const passed = kept === "" || !keepsIds ? "" : `${kept}${data.length > 0 ? "data:\n" : ""}\n`
  if (data.length === 0) return { passed }
  if (type !== "" && type !== "message") return { passed: undefined }
  const text = data.join("\n")
  const message = parsed(text)
  if (message === undefined && text.trim() !== "") rubbish?.(text)
  if (!isObject(message)) return { passed }
  if (typeof message["method"] !== "string" && awaits(message["id"])) return { passed: undefined, isMessage: true }
  return { passed, taken: message, length: text.length }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface EventFilter {
  /** Lines end with LF alone. Gives what is passed on. */
  readonly push: (piece: Uint8Array) => Uint8Array
  /** What is left at the end of the stream. */
  readonly end: () => Uint8Array
  /** Fulfilled when no message waits any more, which is the time to push more; `undefined` when none does. */
  readonly caughtUp: () => Promise<void> | undefined
  /** Nobody reads any more what is passed on: what waits for that is given up. */
  readonly abandon: () => void
}

/** Messages on their way to the peer, in order with those that the transport gets. */
const makeQueue = ({ marks, receive }: MessageTaker) => {
  type Entry = readonly [message: unknown, length: number]
  /** For each mark on the way what waits for it. */
  const waiting = new Map<string, Array<Entry>>()
  let last: Array<Entry> | undefined
  /** Whether a message was passed on since the last mark. */
  let isAhead = false
  let caughtUp: (() => void) | undefined

  const forget = (mark: string) => {
    waiting.delete(mark)
    if (waiting.size > 0) return
    last = undefined
    caughtUp?.()
    caughtUp = undefined
  }

  return {
    passes: () => void (isAhead = true),
    /** Gives what is to be passed on before all else. */
    take: (message: unknown, length: number): string => {
      if (!isAhead) {
        if (last === undefined) receive(message, length)
        else last.push([message, length])
        return ""
      }
      isAhead = false
      const entries: Array<Entry> = [[message, length]]
      const mark = marks.add(() => {
        // What comes meanwhile is behind all that waits.
        for (const entry of entries) receive(...entry)
        forget(mark)
      })
      waiting.set(mark, (last = entries))
      return eventOf(mark)
    },
    caughtUp: () => (waiting.size === 0 ? undefined : new Promise<void>((resolve) => void (caughtUp = resolve))),
    abandon: () => {
      for (const mark of waiting.keys()) {
        marks.forget(mark)
        forget(mark)
      }
    }
  }
}

export const makeEventFilter = (taker: MessageTaker): EventFilter => {
  const queue = makeQueue(taker)
  /** What has come of the event that has begun. */
  let room = NOTHING
  let size = 0
  /** Whether the stream has begun behind a mark of its encoding, and whether something was passed on. */
  let [hasBegun, hasPassed] = [false, false]
  /** In an event that passes as it is; and whether its last byte was the end of a line. */
  let [isLong, afterBreak] = [false, false]

  const hold = (piece: Uint8Array) => {
    if (size + piece.byteLength > room.byteLength) {
      const larger = Buffer.allocUnsafe(Math.max(size + piece.byteLength, 2 * room.byteLength))
      room.copy(larger, 0, 0, size)
      room = larger
    }
    room.set(piece, size)
    size += piece.byteLength
  }

  /** Takes off the mark of the encoding; `false` as long as there may come more of one. */
  const begins = (): boolean => {
    const differs = BYTE_ORDER_MARK.findIndex((byte, at) => at >= size || room[at] !== byte)
    if (differs === size) return false
    if (differs === -1) {
      room.copyWithin(0, BYTE_ORDER_MARK.length, size)
      size -= BYTE_ORDER_MARK.length
    }
    return true
  }

  /** Index behind the next empty line, looked for from `from`; -1 when there is none yet. */
  const endOfEvent = (begin: number, from: number): number => {
    // An empty line where none has begun.
    if (begin < size && room[begin] === LF) return begin + 1
    return behind(room.subarray(0, size), Math.max(begin, from))
  }

  const passed = (begin: number, end: number): Uint8Array => {
    if (end - begin > EVENT_HELD_MAX_BYTES) {
      queue.passes()
      return Buffer.from(room.subarray(begin, end))
    }
    const event = read(room.toString("utf8", begin, end), taker)
    if (event.passed === undefined) {
      if (event.isMessage === true) queue.passes()
      return Buffer.from(room.subarray(begin, end))
    }
    const mark = event.taken === undefined ? "" : queue.take(event.taken, event.length!)
    const text = mark + event.passed
    return text === "" ? NOTHING : Buffer.from(text)
  }

  /** How much of a piece belongs to the long event. */
  const lengthOfLong = (piece: Uint8Array): number => {
    const end = afterBreak && piece[0] === LF ? 1 : behind(Buffer.from(piece.buffer, piece.byteOffset, piece.length), 0)
    isLong = end === -1
    afterBreak = piece.at(-1) === LF
    return isLong ? piece.byteLength : end
  }

  /** Behind an empty line nobody takes for a mark of an encoding what was none where the stream began. */
  const together = (pieces: Array<Uint8Array>): Uint8Array => {
    if (pieces.length === 0) return NOTHING
    if (!hasPassed) pieces.unshift(LINE_BREAK)
    hasPassed = true
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  return {
    push: (piece) => {
      const long = isLong && piece.byteLength > 0 ? lengthOfLong(piece) : 0
      if (long === piece.byteLength) return piece
      const pieces: Array<Uint8Array> = long === 0 ? [] : [piece.subarray(0, long)]
      const before = hasBegun ? size : 0
      hold(piece.subarray(long))
      hasBegun ||= begins()
      if (!hasBegun) return NOTHING
      let begin = 0
      for (let end = endOfEvent(0, before - 1); end !== -1; end = endOfEvent(begin, begin)) {
        const given = passed(begin, end)
        if (given.byteLength > 0) pieces.push(given)
        begin = end
      }
      if (size - begin > EVENT_HELD_MAX_BYTES) {
        isLong = true
        queue.passes()
        afterBreak = room[size - 1] === LF
        pieces.push(Buffer.from(room.subarray(begin, size)))
        begin = size
      }
      if (begin > 0) room.copyWithin(0, begin, size)
      size -= begin
      if (size === 0 && room.byteLength > EVENT_HELD_MAX_BYTES) room = NOTHING
      return together(pieces)
    },
    end: () => Buffer.from(room.subarray(0, size)),
    caughtUp: queue.caughtUp,
    abandon: queue.abandon
  }
}

/** Index behind two line breaks in a row. */
const behind = (bytes: Buffer, from: number): number => {
  const found = bytes.indexOf("\n\n", from, "latin1")
  return found === -1 ? -1 : found + 2
}
