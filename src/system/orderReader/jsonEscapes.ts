/** The escapes of a JSON string (RFC 8259, section 7), character by character: some senders write `/` or `+` of base64 so. */
const UNICODE = "u".charCodeAt(0)
const HEX_DIGITS = 4
const ASCII_END = 0x80
/** Stands for every character that is none of ASCII, and for escapes that there are not. */
const FOREIGN = 0xff

const codes: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(([from, to]) => [
    from.charCodeAt(0),
    to.charCodeAt(0)
  ])
)

/** What comes behind one backslash. */
export class Escape {
  #hex: string | undefined

  /** Takes the next byte; gives the character once it is known. */
  take(byte: number): number | undefined {
    if (this.#hex === undefined) {
      if (byte !== UNICODE) return codes.get(byte) ?? FOREIGN
      this.#hex = ""
      return undefined
    }
    this.#hex += String.fromCharCode(byte)
    if (this.#hex.length < HEX_DIGITS) return undefined
    const code = /^[0-9a-f]{4}$/i.test(this.#hex) ? Number.parseInt(this.#hex, 16) : FOREIGN
    return code < ASCII_END ? code : FOREIGN
  }
}
