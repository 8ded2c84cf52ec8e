/**
 * Describes the arguments of a call for the audit log: names, types and sizes, never a value. `{path: string(12), deep:
 * boolean}`. The text is one short line for any arguments.
 */
import { SHAPE_KEY_MAX_CHARS, SHAPE_MAX_DEPTH, SHAPE_MAX_KEYS } from "../defaults/Audit.ts"
import { beginningOf, type Label } from "../content/ServerText.ts"

const PLAIN_KEY = /^[\w$.-]+$/

/** Keys come from a model or a server. They may contain values, so they are cleaned and cut, and escaped for the log. */
const shownKey = (given: string, label: Label): string => {
  const whole = (text: string) => label(text, Number.POSITIVE_INFINITY)
  const key = whole(beginningOf(given, SHAPE_KEY_MAX_CHARS, whole))
  const cut = key.length > SHAPE_KEY_MAX_CHARS ? `${key.slice(0, SHAPE_KEY_MAX_CHARS)}…` : key
  return PLAIN_KEY.test(key) ? cut : JSON.stringify(cut).replace(/[^\x20-\x7e…]/g, "?")
}

/** A plain key that needs no cut: cleaning can only change it if it is a secret. */
const isShort = (key: string): boolean => key.length <= SHAPE_KEY_MAX_CHARS && PLAIN_KEY.test(key)

/**
 * This runs for every call. Nearly all keys are short and plain; `label` checks these together, once, and only if it would
 * change something is each of them cleaned separately.
 */
export const shapeOf = (args: unknown, label: Label): string => {
  const plain: Array<string> = []
  const quick = outline(args, (key) => (isShort(key) ? (plain.push(key), key) : shownKey(key, label)))
  const together = plain.join(" ")
  return together === "" || label(together, Number.POSITIVE_INFINITY) === together
    ? quick
    : outline(args, (key) => shownKey(key, label))
}

/** The same for a caller that cleans the whole text before anybody reads it: short plain keys need no cleaning here. */
export const roughShapeOf = (args: unknown, label: Label): string =>
  outline(args, (key) => (isShort(key) ? key : shownKey(key, label)))

const outline = (args: unknown, shown: (key: string) => string): string => {
  let keysLeft = SHAPE_MAX_KEYS

  const shape = (value: unknown, depth: number): string => {
    if (typeof value === "string") return `string(${value.length})`
    if (typeof value !== "object") return typeof value
    if (value === null) return "null"
    if (Array.isArray(value)) return `array(${value.length})`
    const keys = Object.keys(value)
    if (keys.length === 0) return "{}"
    if (depth === SHAPE_MAX_DEPTH || keysLeft === 0) return `object(${keys.length})`
    let [text, named] = ["", 0]
    for (const key of keys) {
      if (keysLeft === 0) break
      keysLeft--
      text += `${named++ === 0 ? "" : ", "}${shown(key)}: ${shape((value as Record<string, unknown>)[key], depth + 1)}`
    }
    const more = keys.length - named
    return `{${text}${more === 0 ? "" : `, … ${more} more`}}`
  }

  return shape(args, 0)
}
