/** Base64 from outside: how much it would be is known before any of it is decoded, and it is one spelling of its bytes or none. */

const paddingOf = (text: string): number => (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0)

/** What it would decode to, by its length alone; rounded up for what is no base64. */
export const decodedBytes = (text: string): number => Math.ceil(text.length / 4) * 3 - paddingOf(text)

/** What is wrong with it, to be put behind "its data"; `undefined` when it is exactly how its bytes are written. Linear. */
export const base64Problem = (text: string): string | undefined => {
  if (text === "") return "is empty"
  if (/^data:/i.test(text)) return "must be base64 alone, without the data: prefix of a URL"
  if (/\s/.test(text)) return "is not base64: there is white space in it"
  if (/[-_]/.test(text)) return "is not base64: it is in the alphabet for URLs, and must be in the usual one (+ and /)"
  const foreign = text.search(/[^A-Za-z0-9+/]/)
  if (foreign !== -1 && foreign !== text.length - paddingOf(text)) {
    return `is not base64: there is a foreign character at position ${foreign + 1}`
  }
  if (text.length % 4 !== 0) return "is not base64: its length is no multiple of four, so that padding (=) is missing"
  // The bits behind the last byte must be zero: else two texts would be the same bytes.
  const last = text.slice(-4)
  return Buffer.from(last, "base64").toString("base64") === last
    ? undefined
    : "is not base64: its last bits are not zero"
}
