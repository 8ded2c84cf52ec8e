/** How much memory a parsed JSON value takes, roughly: what is kept of strangers is bounded by that. */

/** Of a string besides its letters, of a list or object, and of one of their members. */
const STRING_BYTES = 24
const NODE_BYTES = 48
const MEMBER_BYTES = 16

/** One letter beyond Latin-1, and all letters of a string take two bytes. */
const WIDE = /[^\0-\xff]/

const ofString = (text: string): number => STRING_BYTES + text.length * (WIDE.test(text) ? 2 : 1)

/** In bytes. Of a value that is no deeper than JSON may be. */
export const weightOf = (value: unknown): number => {
  if (typeof value === "string") return ofString(value)
  if (typeof value !== "object" || value === null) return 0
  let sum = NODE_BYTES
  if (Array.isArray(value)) {
    for (const item of value) sum += MEMBER_BYTES + weightOf(item)
    return sum
  }
  for (const key in value) sum += MEMBER_BYTES + ofString(key) + weightOf(value[key as keyof typeof value])
  return sum
}
