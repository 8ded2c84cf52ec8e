/**
 * The forms in which a secret value may come back: as it is, line by line, and in the encodings that servers, error pages
 * and command lines put values into. Pure.
 */
import {
  SECRET_LINES_ENCODED_MAX,
  SECRET_MASK_MIN_CHARS,
  SECRET_PIECES_MAX,
  SECRET_WHOLE_MAX_CHARS
} from "../../schemas/Defaults.ts"

/** Every text to look for when `value` must not be seen. Empty when the value is too short to be masked. */
export const variantsOf = (value: string): ReadonlySet<string> => {
  // White space around a value says nothing; masking it too would join the lines of an ordinary text.
  const trimmed = value.trim()
  const whole = [trimmed, trimmed.toWellFormed()].flatMap(piecesOf)
  const lines = linesOf(trimmed.toWellFormed())
  const encode = lines.length > SECRET_LINES_ENCODED_MAX ? jsonEscaped : encodings
  const variants = [
    ...whole.flatMap((text) => encodings(text).concat(text)),
    ...lines.flatMap((line) => encode(line).concat(line))
  ]
  return new Set(variants.filter(worthMasking))
}

/** Blank or tiny texts are part of ordinary text: masking them would shred it. */
export const worthMasking = (text: string) => text.trim().length >= SECRET_MASK_MIN_CHARS

/** The armour of a PEM block is public and stands in many texts that are none. */
const ARMOUR = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/

const linesOf = (value: string): ReadonlyArray<string> => {
  const lines = new Set(value.split(/[\r\n]+/).map((line) => line.trim()))
  return lines.size < 2 ? [] : [...lines].filter((line) => !ARMOUR.test(line)).flatMap(piecesOf)
}

/** A long value is looked for in pieces of equal size, so that neither memory nor search grows with its length. */
const piecesOf = (value: string): ReadonlyArray<string> => {
  if (value.length <= SECRET_WHOLE_MAX_CHARS) return [value]
  const count = Math.min(SECRET_PIECES_MAX, Math.ceil(value.length / SECRET_WHOLE_MAX_CHARS))
  const cut = (index: number) => codePointBoundary(value, Math.round((index * value.length) / count))
  return Array.from({ length: count }, (_, index) => value.slice(cut(index), cut(index + 1)))
}

const codePointBoundary = (text: string, index: number) =>
  index > 0 && index < text.length && (text.codePointAt(index - 1) ?? 0) > 0xffff ? index + 1 : index

const encodings = (text: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(text, "utf8")
  return [
    ...percentEncoded(text.toWellFormed()),
    ...jsonEscaped(text),
    text.replace(/[&<>"']/g, (char) => HTML_ESCAPES[char] ?? char),
    ...base64Forms(bytes),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase()
  ]
}

const HTML_ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

const percentEncoded = (text: string): ReadonlyArray<string> => {
  const component = encodeURIComponent(text)
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams([["", text]]).toString().slice(1)
  return [component, strict, form, encodeURI(text)].flatMap((encoded) => [encoded, lowerCaseEscapes(encoded)])
}

const lowerCaseEscapes = (encoded: string) => encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())

/** As `JSON.stringify` writes it, and as the encoders do that escape everything beyond ASCII or the slash. */
const jsonEscaped = (text: string): ReadonlyArray<string> => {
  const escaped = JSON.stringify(text).slice(1, -1)
  const ascii = escaped.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return [escaped, ascii, escaped.replaceAll("/", "\\/")]
}

/**
 * Base64 of the value alone, with and without padding, and the part of it that stays the same when the value stands
 * inside a longer text (`user:value`): one for each of the three positions that it can have in a group of three bytes.
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
