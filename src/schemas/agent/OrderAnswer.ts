/**
 * Builds the answer to an agent request from the agent's events: its text and the media from it and its tools, in order and
 * each once. Text is never left out in favor of media; a sentence replaces what exceeds a limit.
 */
import { createHash } from "node:crypto"
import { decodedBytes } from "../data/Base64.ts"
import { isBase64 } from "../content/ContentBlock.ts"
import { ORDER_ANSWER_MAX_BYTES, ORDER_ANSWER_PARTS_MAX, ORDER_ITEM_MAX_BYTES } from "../defaults/Orders.ts"
import { safeFileName, uniqueFileName } from "../data/FileName.ts"
import { endingOf, isTextType, looksLike, MEDIA_TYPE, plainType } from "../content/Media.ts"

export interface OrderText {
  readonly type: "text"
  readonly text: string
}

export interface OrderMedia {
  readonly type: "media"
  readonly mediaType: string
  /** Canonical base64. */
  readonly data: string
  /** A safe file name, unique in the answer. */
  readonly name: string
  readonly bytes: number
}

export type OrderPart = OrderText | OrderMedia

export type OrderEnd = "stop" | "steps" | "length" | "refusal" | "failed" | "other"

export interface OrderAnswer {
  /** For the next request of the same conversation. */
  readonly sessionKey: string
  readonly parts: ReadonlyArray<OrderPart>
  readonly end: OrderEnd
}

/** A medium as it was found, not checked yet. */
export interface FoundMedia {
  readonly mediaType: string | undefined
  readonly data: string
  /** A name, a path or a URI. */
  readonly name: string | undefined
}

const UNKNOWN_TYPE = "application/octet-stream"
/** Enough to recognize every type that is not text. */
const HEAD_CHARS = 8 * 1024
const GROUP_CHARS = 4
const MEBIBYTE = 1024 * 1024

const megabytes = (bytes: number) => `${bytes / MEBIBYTE} MB`
const count = (number: number) => number.toLocaleString("en-US")

const sentence = (text: string): OrderText => ({ type: "text", text: `[${text}]` })

/** The last part of a name, path or URI, decoded. */
const lastOf = (given: string | undefined): string | undefined => {
  const last = given?.split(/[?#]/, 1)[0]?.split(/[/\\]/).at(-1)
  if (last === undefined) return undefined
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

const typeOf = (given: string | undefined): string => {
  const type = plainType(given ?? UNKNOWN_TYPE)
  return MEDIA_TYPE.test(type) ? type : UNKNOWN_TYPE
}

const isWhatItSays = (mediaType: string, data: string): boolean =>
  looksLike(mediaType, Buffer.from(isTextType(mediaType) ? data : data.slice(0, HEAD_CHARS), "base64")) !== false

/** Canonical base64: only the last four characters can have other spellings. */
const asWritten = (data: string): string => {
  const last = data.length - (data.length % GROUP_CHARS || GROUP_CHARS)
  const end = data.slice(last)
  const written = Buffer.from(end, "base64").toString("base64")
  return written === end ? data : `${data.slice(0, last)}${written}`
}

/** The longest prefix of a text with at most this many bytes, without splitting a character. */
const beginning = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text)
  let end = Math.min(maxBytes, bytes.length)
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString("utf8", 0, end)
}

/** Sentences for answers that ended early. */
const ENDINGS: Readonly<Partial<Record<OrderEnd, string>>> = {
  steps: "The agent stopped here: it has reached the maximum number of steps for one answer.",
  length: "The answer ends here: the model has reached its length limit.",
  refusal: "The model refused to continue."
}

export interface Limits {
  readonly itemBytes: number
  readonly answerBytes: number
  readonly parts: number
}

const LIMITS: Limits = {
  itemBytes: ORDER_ITEM_MAX_BYTES,
  answerBytes: ORDER_ANSWER_MAX_BYTES,
  parts: ORDER_ANSWER_PARTS_MAX
}

export interface AnswerOptions {
  readonly limits?: Limits | undefined
  /** Masks known secrets in what the agent says: in the whole text, because a secret may be streamed in several pieces. */
  readonly mask?: ((text: string) => string) | undefined
}

export const makeAnswer = ({ limits = LIMITS, mask = (text) => text }: AnswerOptions = {}) => {
  const { answerBytes, itemBytes, parts: maxParts } = limits
  const parts: Array<OrderPart> = []
  const said = new Set<string>()
  const seen = new Set<string>()
  const names = new Set<string>()
  let [open, openBytes, cutChars] = ["", 0, 0]
  let [textBytes, mediaBytes, dropped] = [0, 0, 0]

  const push = (part: OrderPart) => {
    if (parts.length < maxParts) parts.push(part)
    else dropped++
  }

  const close = () => {
    const [text, bytes, cut] = [mask(open), openBytes, cutChars]
    ;[open, openBytes, cutChars] = ["", 0, 0]
    const key = text.trim()
    if (key === "" || said.has(key)) {
      textBytes -= bytes
    } else {
      said.add(key)
      push({ type: "text", text })
    }
    if (cut > 0) push(sentence(`${count(cut)} more characters were left out: the answer has become too long`))
  }

  const placed = ({ data, mediaType: given, name }: FoundMedia): OrderPart | undefined => {
    const mediaType = typeOf(given)
    const shown = safeFileName(lastOf(name), `${mediaType.split("/")[0]}.${endingOf(mediaType)}`)
    const what = `${JSON.stringify(shown)} (${mediaType})`
    const bytes = decodedBytes(data)
    if (bytes > itemBytes) {
      return sentence(
        `${what} was left out: it has ${count(bytes)} bytes, and one item may have ${megabytes(itemBytes)}`
      )
    }
    if (!isBase64(data)) return sentence(`${what} was left out: its data is not base64`)
    const written = asWritten(data)
    const key = createHash("sha256").update(`${mediaType}\n`).update(written, "latin1").digest("base64")
    if (seen.has(key)) return undefined
    seen.add(key)
    if (!isWhatItSays(mediaType, written)) return sentence(`${what} was left out: its bytes are not of that type`)
    if (mediaBytes + bytes > answerBytes) return overAll(what, bytes)
    mediaBytes += bytes
    return { type: "media", mediaType, data: written, name: uniqueFileName(shown, names), bytes }
  }

  const overAll = (what: string, bytes: number) =>
    sentence(
      `${what} was left out: it has ${count(bytes)} bytes, and the whole answer may have ${megabytes(answerBytes)}`
    )

  return {
    /** A piece of the agent's text. */
    text: (delta: string) => {
      const bytes = Buffer.byteLength(delta)
      const room = Math.min(itemBytes - openBytes, answerBytes - textBytes)
      const kept = cutChars > 0 ? "" : bytes <= room ? delta : beginning(delta, Math.max(0, room))
      const keptBytes = kept === delta ? bytes : Buffer.byteLength(kept)
      open += kept
      openBytes += keptBytes
      textBytes += keptBytes
      cutChars += delta.length - kept.length
    },
    /** Ends the current text, because something else follows. */
    close,
    media: (found: FoundMedia) => {
      close()
      const part = placed(found)
      if (part !== undefined) push(part)
    },
    /** A medium that was named but is not available. */
    missing: (name: string, why: string) => {
      close()
      push(sentence(`${JSON.stringify(safeFileName(lastOf(name), "a file"))} was left out: ${why}`))
    },
    /** The complete parts, after the answer has ended. */
    end: (end: OrderEnd): ReadonlyArray<OrderPart> => {
      close()
      let left = answerBytes - textBytes
      const fitting = parts.map((part): OrderPart => {
        if (part.type === "text") return part
        if (part.bytes > left) return overAll(`${JSON.stringify(part.name)} (${part.mediaType})`, part.bytes)
        left -= part.bytes
        return part
      })
      const why = ENDINGS[end]
      return [
        ...fitting,
        ...(dropped === 0 ? [] : [sentence(`${count(dropped)} more parts were left out: there are too many`)]),
        ...(why === undefined ? [] : [sentence(why)])
      ]
    }
  }
}

/** The whole text, for readers of text only. */
export const wordsOf = (parts: ReadonlyArray<OrderPart>): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text.trim()] : [])).join("\n\n")
