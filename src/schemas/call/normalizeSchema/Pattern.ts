/**
 * Which regular expressions every provider reads alike. Providers compile patterns with different engines (Python's re, RE2),
 * and one that does not compile loses the whole list of tools. So only what all engines share is accepted.
 */
import { SCHEMA_PATTERN_MAX_CHARS } from "../../defaults/Definitions.ts"

/** The largest repetition of RE2. */
const MAX_REPEAT = 1000
const CLASS_ESCAPES = "dDwWsSnrtf"
const PUNCTUATION = "^$\\.*+?()[]{}|/"

export const isPortable = (pattern: string): boolean => pattern.length <= SCHEMA_PATTERN_MAX_CHARS && scan(pattern)

const scan = (pattern: string): boolean => {
  let at = 0
  let open = 0
  /** Whether the last item may be repeated. */
  let repeatable = false

  const escape = (inClass: boolean): boolean => {
    const next = pattern[at + 1]
    if (next === "x") {
      if (!/^[0-9A-Fa-f]{2}$/.test(pattern.slice(at + 2, at + 4))) return false
      at += 4
      return true
    }
    at += 2
    if (next === undefined) return false
    return CLASS_ESCAPES.includes(next) || PUNCTUATION.includes(next) || (inClass ? next === "-" : next === "b")
  }

  const characterClass = (): boolean => {
    at += pattern[at + 1] === "^" ? 2 : 1
    // Engines disagree about an empty class, or one that begins with `]`.
    if (pattern[at] === "]") return false
    for (;;) {
      const character = pattern[at]
      if (character === undefined || character === "[") return false
      if (character === "]") return at++ >= 0
      if (character === "\\" ? !escape(true) : twice(character)) return false
      if (character !== "\\") at++
    }
  }

  /** Set operators of some engines. */
  const twice = (character: string) => "&-~|".includes(character) && pattern[at + 1] === character

  const repeat = (): boolean => {
    const braces = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(pattern.slice(at, at + 16))
    if (pattern[at] === "{") {
      if (braces === null) return false
      const [least, most] = [Number(braces[1]), braces[3] ? Number(braces[3]) : Number(braces[1])]
      if (least > most || most > MAX_REPEAT) return false
    }
    at += braces === null ? 1 : braces[0].length
    if (pattern[at] === "?") at++
    return true
  }

  while (at < pattern.length) {
    const character = pattern[at]!
    if ("*+?{".includes(character)) {
      if (!repeatable || !repeat()) return false
      repeatable = false
    } else if (character === "(") {
      if (pattern[at + 1] === "?" && pattern[at + 2] !== ":") return false
      at += pattern[at + 1] === "?" ? 3 : 1
      open++
      repeatable = false
    } else if (character === ")") {
      if (--open < 0) return false
      at++
      repeatable = true
    } else if (character === "[") {
      if (!characterClass()) return false
      repeatable = true
    } else if (character === "\\") {
      repeatable = pattern[at + 1] !== "b"
      if (!escape(false)) return false
    } else if (character === "]" || character === "}") {
      return false
    } else {
      at++
      repeatable = !"^$|".includes(character)
    }
  }
  return open === 0 && compiles(pattern)
}

/** Rejects reversed ranges and everything else that does not compile. */
const compiles = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, "u").source !== ""
  } catch {
    return false
  }
}
