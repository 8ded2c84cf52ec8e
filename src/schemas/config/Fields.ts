/**
 * Helpers for members of objects, and for naming values in messages. Free text is never shown, because it may be a secret;
 * numbers and words with fixed choices are.
 */
import { isObject } from "../data/Json.ts"
import type { KeyPath } from "./KeyPath.ts"
import { type Report, unknownKey } from "./Report.ts"

/** Names with a meaning on every object, which would cause trouble as keys. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

const SHOWN_MAX_CHARS = 40

/** The type of a value, for messages that must not show it. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  switch (typeof value) {
    case "object":
      return "an object"
    case "string":
      return value === "" ? "empty" : "a string"
    case "number":
      return "a number"
    case "boolean":
      return String(value)
    default:
      return value === undefined ? "undefined" : `a ${typeof value}`
  }
}

/** The value itself if it is short and cannot be a secret in its place, else its type. */
export const show = (value: unknown): string => {
  if (typeof value === "string" && value.length <= SHOWN_MAX_CHARS) return JSON.stringify(value)
  return typeof value === "number" ? String(value) : kindOf(value)
}

/** Own members with a value; `undefined` counts as absent. */
export const membersOf = (value: Record<string, unknown>): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).filter(([, member]) => member !== undefined)

export const member = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

export const record = (report: Report, path: KeyPath, value: unknown): Record<string, unknown> | undefined => {
  if (isObject(value)) return value
  report.error(path, `must be an object, is ${kindOf(value)}`)
  return undefined
}

/** An object with a fixed set of keys; empty when it is absent or not an object. */
export const closed = (
  report: Report,
  path: KeyPath,
  value: unknown,
  known: ReadonlyArray<string>
): Record<string, unknown> => {
  const object = value === undefined ? undefined : record(report, path, value)
  if (object === undefined) return {}
  for (const [key] of membersOf(object)) {
    if (!known.includes(key)) report.error([...path, key], unknownKey(key, known))
  }
  return object
}

/** The end of "must be …" for a choice of words. */
export const oneOf = (choices: ReadonlyArray<string | boolean>): string => {
  const words = choices.map((choice) => JSON.stringify(choice))
  return words.length > 2 ? `one of ${words.join(", ")}` : words.join(" or ")
}

/** Without `undefined` members, so that they do not override others. */
export const defined = <A extends object>(fields: { readonly [K in keyof A]: A[K] | undefined }): Partial<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<A>
