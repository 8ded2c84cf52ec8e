/**
 * Finds lists of bytes, as debuggers, dumps and `Buffer` print them: `73 65 63`, `73:65:63`, `0x73, 0x65`, `7365 63`, `115,
 * 101`. The beginning of a known value's list is searched like any other text; from there on the list is parsed.
 */
import { SECRET_LIST_MIN_BYTES } from "../../../schemas/defaults/Secrets.ts"
import { ALWAYS, Columns, type View, viewOf } from "./decodedView.ts"

export type Base = "hex" | "decimal"

const HEX_SEPARATORS = [" ", ":", "-", ",", ", ", "\n"]
/** One per line with two or more spaces, as in indented JSON. */
const DECIMAL_SEPARATORS = [",", ", ", " ", ",\n      "]

/** The first `chars` characters of each kind of list; empty for few bytes, which may occur by chance. */
export const beginningsOf = (bytes: Buffer, chars: number): ReadonlyArray<readonly [string, Base]> => {
  if (bytes.length < SECRET_LIST_MIN_BYTES) return []
  const first = [...bytes.subarray(0, chars)]
  const cut = (list: string, base: Base) => [list.slice(0, chars), base] as const
  const hex = first.map((byte) => byte.toString(16).padStart(2, "0"))
  return [hex, hex.map((byte) => byte.toUpperCase())]
    .flatMap((digits) => [
      ...HEX_SEPARATORS.flatMap((separator) => [
        cut(digits.join(separator), "hex"),
        cut(digits.map((byte) => `0x${byte}`).join(separator), "hex")
      ]),
      cut(`${digits[0]}${digits[1]} ${digits[2]}${digits[3]}`, "hex")
    ])
    .concat(DECIMAL_SEPARATORS.map((separator) => cut(first.join(separator), "decimal")))
}

const ELEMENTS = { hex: /(?:0[xX])?([0-9a-fA-F]{2})/y, decimal: /(\d{1,3})/y }
const SEPARATORS = { hex: /[\s:,-]{0,64}/y, decimal: /[\s,]{1,64}/y }
const RADIX = { hex: 16, decimal: 10 }

/** The list that begins at `start`, with each byte as one character, and its end. */
export const listAt = (text: string, start: number, base: Base): { readonly view: View; readonly end: number } => {
  const [element, separator] = [ELEMENTS[base], SEPARATORS[base]]
  const bytes = new Columns()
  let end = start
  for (let at = start; ; at = separator.lastIndex) {
    element.lastIndex = at
    const byte = Number.parseInt(element.exec(text)?.[1] ?? "", RADIX[base])
    if (!(byte <= 0xff)) break
    if (at > start) bytes.push(end - start, at - start, -1)
    end = element.lastIndex
    bytes.push(at - start, end - start, byte)
    separator.lastIndex = end
    if (!separator.test(text)) break
  }
  return { view: viewOf(text.slice(start, end), bytes, ALWAYS, start), end }
}
