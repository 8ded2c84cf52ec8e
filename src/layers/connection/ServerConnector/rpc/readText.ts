/**
 * Reads one text of a link: a message, or why it is none. A long text is checked against bounds before it is parsed, which are narrower if
 * no request waits for it. It calls back instead of returning an object, because it is on the path of every call.
 */
import { JSON_UNASKED_MAX_PARTS, JSON_UNSEEN_MAX } from "../../../../schemas/defaults/Wire.ts"
import { ANSWERED, LISTED, textWithinBounds, type TextBounds } from "../../../../schemas/connection/JsonBounds.ts"

export interface TextTaker {
  /** Whether a request of this id waits for its answer. */
  readonly awaits: (id: number) => boolean
  /** Whether that request is for a list of definitions. */
  readonly lists: (id: number) => boolean
  /** `length` is the length of the text; `isBounded` says that the text was found to keep the bounds of JSON. */
  readonly onMessage: (message: unknown, length: number, isBounded: boolean) => void
  /** It breaks the bounds, and answers the request of this id. */
  readonly onTooDeep: (id: number | undefined) => void
  /** It is not JSON. */
  readonly onRubbish: (text: string) => void
}

/** The id of the request that a long text answers, from one of its ends. Official servers write the id last, others first. */
export const answeredId = (head: string, tail: string): number | undefined => {
  const first = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*[,}]/.exec(head)
  const last = /"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(tail)
  const id = first?.[1] ?? last?.[1]
  return id === undefined ? undefined : Number(id)
}

const BYTE_ORDER_MARK = 0xfeff
const OPENING_BRACE = 0x7b
/** How much of both ends of a long message is searched for its id. */
const ENDS_CHARS = 512

const UNASKED: TextBounds = { ...ANSWERED, parts: JSON_UNASKED_MAX_PARTS }

const boundsOf = (id: number | undefined, { awaits, lists }: TextTaker): TextBounds => {
  if (id === undefined || !awaits(id)) return UNASKED
  return lists(id) ? LISTED : ANSWERED
}

/** The bounds that a long text keeps. If it breaks them, the request that it answers fails and nothing is returned. */
const boundsKept = (text: string, taker: TextTaker, about: number | undefined): TextBounds | undefined => {
  const id = answeredId(text.slice(0, ENDS_CHARS), text.slice(-ENDS_CHARS)) ?? about
  const bounds = boundsOf(id, taker)
  if (textWithinBounds(text, bounds)) return bounds
  taker.onTooDeep(id)
  return undefined
}

/** `about` is the request that the text probably answers, if the link knows that. */
export const readText = (line: string, taker: TextTaker, about?: number): void => {
  const first = line.charCodeAt(0)
  const text = first === BYTE_ORDER_MARK ? line.slice(1) : line
  if (first !== OPENING_BRACE && text.trim() === "") return
  const isLong = text.length > JSON_UNSEEN_MAX
  const kept = isLong ? boundsKept(text, taker, about) : undefined
  if (isLong && kept === undefined) return
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return taker.onRubbish(text)
  }
  taker.onMessage(message, text.length, kept !== undefined && kept !== LISTED)
}
