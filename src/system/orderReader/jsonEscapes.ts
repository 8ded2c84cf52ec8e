/** Decodes the escapes of a JSON string (RFC 8259, section 7), byte by byte: some senders escape `/` or `+` in base64. */
const UNICODE = "u".charCodeAt(0)
const HEX_DIGITS = 4
const ASCII_END = 0x80
/** Stands for every character outside of ASCII, and for invalid escapes. */
const FOREIGN = 0xff

const codes: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(([from, to]) => [
    from.charCodeAt(0),
    to.charCodeAt(0)
  ])
)

/** The rest of an escape after its backslash. */
export class Escape {
  #hex: string | undefined

  /** Takes the next byte; gives the character when the escape is complete. */
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
