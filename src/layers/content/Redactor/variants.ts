/**
 * The forms in which a secret value may occur: unchanged, line by line, and in the encodings of servers, error pages and
 * command lines, as far as a fixed text can represent them. What may be escaped in several ways is undone instead
 * (escapes.ts), and so are lists of bytes (byteLists.ts). Pure.
 */
import {
  SECRET_LINES_ENCODED_MAX,
  SECRET_MASK_MIN_CHARS,
  SECRET_PART_MAX_CHARS,
  SECRET_PIECES_MAX,
  SECRET_WHOLE_MAX_CHARS
} from "../../../schemas/defaults/Secrets.ts"
import { rawLinesOf, secretLinesOf } from "./secretLines.ts"

export interface Variants {
  /** The unencoded lines of the value, for which escapes are undone. */
  readonly plain: ReadonlyArray<string>
  /** Every text to search for, including the plain ones. */
  readonly all: ReadonlySet<string>
  /** The bytes of the value, or of its pieces, whose lists are searched. */
  readonly listed: ReadonlyArray<Buffer>
  /** The maximum length of a form, or of a piece of a long one. */
  readonly reach: number
}

/** Empty when the value is too short to be masked. */
export const variantsOf = (value: string): Variants => {
  // White space around a value means nothing; masking it would join the lines of ordinary text.
  const trimmed = value.trim()
  const readings = [...new Set([trimmed, trimmed.toWellFormed()])]
  const whole = readings.flatMap((text) => piecesOf(text, SECRET_WHOLE_MAX_CHARS))
  // When escapes are undone, only pieces of this size are examined.
  const parts = readings.flatMap((text) => piecesOf(text, SECRET_PART_MAX_CHARS))
  const wellFormed = trimmed.toWellFormed()
  const lines = secretLinesOf(wellFormed)
    .flatMap((line) => piecesOf(line, SECRET_PART_MAX_CHARS))
    .filter(worthMasking)
  // A short line may be long when it is escaped.
  const allLines = rawLinesOf(wellFormed)
  const encode = lines.length > SECRET_LINES_ENCODED_MAX ? jsonEscaped : encodings
  const plain = [...whole, ...parts, ...lines].flatMap(asBytes)
  const encoded = [...whole.flatMap(encodings), ...parts.flatMap(inOtherBytes), ...lines.flatMap(encode)]
  const all = new Set([...plain, ...encoded].filter(worthMasking))
  const bytesOf = (texts: ReadonlyArray<string>) => texts.filter(worthMasking).map((text) => Buffer.from(text, "utf8"))
  const listed = bytesOf(whole)
  // The rest of a list that is longer than what is examined at once begins with a piece.
  const listedParts = bytesOf(parts)
  return {
    plain: allLines.length > 1 ? allLines.flatMap(asBytes) : plain,
    all,
    listed: [...listed, ...listedParts],
    reach: Math.max(
      longest(all),
      WHOLE_BYTE_CHARS * longest(listed),
      PART_BYTE_CHARS * Math.max(longest(listedParts), longest(bytesOf(lines)))
    )
  }
}

/** The most characters for one byte of a value when escapes are escaped: `&amp;#x41;`. */
const WHOLE_BYTE_CHARS = 16
/** The same for a piece, in lists with wide gaps, or with each hex digit escaped. */
const PART_BYTE_CHARS = 72

const longest = (texts: Iterable<{ readonly length: number }>): number => {
  let length = 0
  for (const text of texts) length = Math.max(length, text.length)
  return length
}

/** Blank or very short texts occur in ordinary text and must not be masked. */
export const worthMasking = (text: string) => text.trim().length >= SECRET_MASK_MIN_CHARS

/** A long value is searched in pieces of equal size, so that neither memory nor time grows with its length. */
const piecesOf = (value: string, maxChars: number): ReadonlyArray<string> => {
  if (value.length <= maxChars) return [value]
  const count = Math.min(SECRET_PIECES_MAX, Math.ceil(value.length / maxChars))
  const cut = (index: number) => codePointBoundary(value, Math.round((index * value.length) / count))
  return Array.from({ length: count }, (_, index) => value.slice(cut(index), cut(index + 1)))
}

const codePointBoundary = (text: string, index: number) =>
  index > 0 && index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff ? index + 1 : index

const NOT_ASCII = /[^\x00-\x7f]/
const NOT_LATIN = /[^\x00-\xff]/

/** Also as UTF-8 that was read byte by byte, which is what undoing byte escapes (`%C3%BC`, `\xc3\xbc`) gives. */
const asBytes = (text: string): ReadonlyArray<string> =>
  NOT_ASCII.test(text) ? [text, Buffer.from(text, "utf8").toString("latin1")] : [text]

const encodings = (text: string): ReadonlyArray<string> => [
  ...percentEncoded(text.toWellFormed()),
  ...jsonEscaped(text),
  text.replace(/[&<>"']/g, (char) => HTML_ESCAPES[char] ?? char),
  text.replaceAll("'", "'\\''"),
  quotedPrintable(text),
  ...inOtherBytes(text)
]

// ---- escapes -------------------------------------------------------------------------------------------------------

const percentEncoded = (text: string): ReadonlyArray<string> => {
  const component = encodeURIComponent(text)
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams([["", text]]).toString().slice(1)
  return [component, strict, form, encodeURI(text)].flatMap((encoded) => [encoded, lowerCaseEscapes(encoded)])
}

const lowerCaseEscapes = (encoded: string) => encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())

/**
 * As `JSON.stringify` writes it, as encoders do that escape everything beyond ASCII, the slash or what HTML knows, and again
 * within JSON text.
 */
const jsonEscaped = (text: string): ReadonlyArray<string> => {
  const escaped = JSON.stringify(text).slice(1, -1)
  const ascii = escaped.replace(/[^\x00-\x7f]/g, asUnit)
  const slashed = withSlashes(escaped)
  const twice = [escaped, ascii, slashed].map((form) => JSON.stringify(form).slice(1, -1))
  const forHtml = escaped.replace(/[<>&]/g, asUnit)
  return [escaped, ascii, slashed, forHtml, inSingleQuotes(escaped), ...twice, ...twice.map(withSlashes)]
}

const withSlashes = (escaped: string) => escaped.replaceAll("/", "\\/")

/** As languages write a text that contains double quotes. */
const inSingleQuotes = (escaped: string) => escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")

const asUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

const HTML_ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

/** Quoted-printable; its soft line breaks are undone elsewhere. */
const quotedPrintable = (text: string) =>
  Buffer.from(text, "utf8")
    .toString("latin1")
    .replace(/[^\t\r\n\x20-\x7e]|=/g, (byte) => `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`)

// ---- bytes ---------------------------------------------------------------------------------------------------------

const inOtherBytes = (text: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(text, "utf8")
  return [
    ...base64Forms(bytes),
    // `btoa`, and credentials in headers, use Latin-1 if that is sufficient.
    ...(NOT_ASCII.test(text) && !NOT_LATIN.test(text) ? base64Forms(Buffer.from(text, "latin1")) : []),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase()
  ]
}

/**
 * Base64 of the value alone, with and without padding, and the part of it that is constant when the value is within a longer
 * text (`user:value`): one for each of the three positions in a group of three bytes.
 */
const base64Forms = (bytes: Buffer): ReadonlyArray<string> => {
  const padded = bytes.toString("base64")
  const inner = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64")
    const settled = Math.floor(((offset + bytes.length) * 8) / 6)
    return encoded.slice(Math.ceil((offset * 8) / 6), settled)
  })
  return [padded, padded.replace(/=+$/, ""), ...inner].flatMap((form) => [form, urlSafe(form)])
}

const urlSafe = (base64: string) => base64.replaceAll("+", "-").replaceAll("/", "_")
