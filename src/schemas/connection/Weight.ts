/** Roughly how much memory a parsed JSON value takes. It bounds what is kept of foreign data. */

/** The memory of a string besides its characters, of a list or object, and of one member. */
const STRING_BYTES = 24
const NODE_BYTES = 48
const MEMBER_BYTES = 16

/** With one character beyond Latin-1, all characters of a string take two bytes. */
const WIDE = /[^\0-\xff]/

const ofString = (text: string): number => STRING_BYTES + text.length * (WIDE.test(text) ? 2 : 1)

/** In bytes, for a value within the limit of depth. */
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
