/**
 * What a server sends of its own accord on a stream of events goes to the peer from here; the SDK's transport behind gets the
 * answers, the ids of events and what is no message. Its own reading of a message that is no answer costs so much, and leaves
 * so much behind to be collected, that a flood of them would hold up everybody. Events that are long pass as they are.
 */
import { EVENT_HELD_MAX_BYTES } from "../../schemas/Defaults.ts"
import { isObject } from "../../schemas/Json.ts"

export interface MessageTaker {
  /** Whether a request of this id waits for its answer. */
  readonly awaits: (id: unknown) => boolean
  /** `length` is that of its text. */
  readonly receive: (message: unknown, length: number) => void
  /** Whether the transport behind keeps account of the ids of events. */
  readonly keepsIds: boolean
}

const LF = 10
const NOTHING = Buffer.alloc(0)

/** One field of an event (HTML, Server-sent events › Interpreting an event stream). */
const FIELD = /^(data|event|id|retry)(?::[ ]?|$)(.*)$/s

/** What is passed on of one event, line breaks included; `undefined` for all of it. */
const passedOf = (event: string, { awaits, keepsIds, receive }: MessageTaker): string | undefined => {
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
  if (data.length > 0) {
    if (type !== "" && type !== "message") return undefined
    const text = data.join("\n")
    const message = parsed(text)
    if (isObject(message)) {
      if (typeof message["method"] !== "string" && awaits(message["id"])) return undefined
      receive(message, text.length)
    }
  }
  // An id counts for the transport only on an event of some data, even of none in it.
  return kept === "" || !keepsIds ? "" : `${kept}${data.length > 0 ? "data:\n" : ""}\n`
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
}

export const makeEventFilter = (taker: MessageTaker): EventFilter => {
  /** What has come of the event that has begun. */
  let room = NOTHING
  let size = 0
  // Before the first line may stand marks of an encoding, which the parser behind takes off.
  let isFirst = true
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

  /** Index behind the next empty line, looked for from `from`; -1 when there is none yet. */
  const endOfEvent = (begin: number, from: number): number => {
    // An empty line where none has begun.
    if (begin < size && room[begin] === LF) return begin + 1
    return behind(room.subarray(0, size), Math.max(begin, from))
  }

  const passed = (begin: number, end: number): Uint8Array => {
    if (!isFirst && end - begin <= EVENT_HELD_MAX_BYTES) {
      const text = passedOf(room.toString("utf8", begin, end), taker)
      if (text !== undefined) return text === "" ? NOTHING : Buffer.from(text)
    }
    isFirst = false
    return Buffer.from(room.subarray(begin, end))
  }

  /** How much of a piece belongs to the long event. */
  const lengthOfLong = (piece: Uint8Array): number => {
    const end = afterBreak && piece[0] === LF ? 1 : behind(Buffer.from(piece.buffer, piece.byteOffset, piece.length), 0)
    isLong = end === -1
    afterBreak = piece.at(-1) === LF
    return isLong ? piece.byteLength : end
  }

  return {
    push: (piece) => {
      const long = isLong && piece.byteLength > 0 ? lengthOfLong(piece) : 0
      if (long === piece.byteLength) return piece
      const pieces: Array<Uint8Array> = long === 0 ? [] : [piece.subarray(0, long)]
      const before = size
      hold(piece.subarray(long))
      let begin = 0
      for (let end = endOfEvent(0, before - 1); end !== -1; end = endOfEvent(begin, begin)) {
        const given = passed(begin, end)
        if (given.byteLength > 0) pieces.push(given)
        begin = end
      }
      if (size - begin > EVENT_HELD_MAX_BYTES) {
        isLong = true
        isFirst = false
        afterBreak = room[size - 1] === LF
        pieces.push(Buffer.from(room.subarray(begin, size)))
        begin = size
      }
      if (begin > 0) room.copyWithin(0, begin, size)
      size -= begin
      if (size === 0 && room.byteLength > EVENT_HELD_MAX_BYTES) room = NOTHING
      return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
    },
    end: () => Buffer.from(room.subarray(0, size))
  }
}

/** Index behind two line breaks in a row. */
const behind = (bytes: Buffer, from: number): number => {
  const found = bytes.indexOf("\n\n", from, "latin1")
  return found === -1 ? -1 : found + 2
}
