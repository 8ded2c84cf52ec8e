/**
 * Readers for single values: each gives the value in its type, or tells the report what it should have been. Values of
 * free text are never shown, they may be secrets; numbers and words with a fixed choice are.
 */
import { ISOLATIONS } from "../connection/Isolation.ts"
import { isObject } from "../data/Json.ts"
import type { KeyPath, Located } from "./KeyPath.ts"
import { type Report, unknownKey } from "./Report.ts"

export type Read<A> = (report: Report, path: KeyPath, value: unknown) => A | undefined

/** Names that mean something to every object; as keys they would only make trouble. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"])

const SHOWN_MAX_CHARS = 40

/** The kind of a value, for messages that must not show it. */
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

/** The value itself where it is short and cannot be a secret by its place, else its kind. */
export const show = (value: unknown): string => {
  if (typeof value === "string" && value.length <= SHOWN_MAX_CHARS) return JSON.stringify(value)
  return typeof value === "number" ? String(value) : kindOf(value)
}

/** Own members that are there; a member that is `undefined` counts as left away. */
export const membersOf = (value: Record<string, unknown>): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).filter(([, member]) => member !== undefined)

export const member = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

export const record: Read<Record<string, unknown>> = (report, path, value) => {
  if (isObject(value)) return value
  report.error(path, `must be an object, is ${kindOf(value)}`)
  return undefined
}

/** An object with a closed set of keys; empty when it is left out or none. */
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

export const flag: Read<boolean> = (report, path, value) => {
  if (typeof value === "boolean") return value
  report.error(path, `must be true or false, is ${show(value)}`)
  return undefined
}

/** A right that is given or not, in words or as a flag; words may hold variables. */
export const permission: Read<boolean | string> = (report, path, value) => {
  if (typeof value === "boolean") return value
  if (typeof value === "string") return text(report, path, value)
  report.error(path, `must be "allow" or "deny", is ${show(value)}`)
  return undefined
}

/** Who shares a process, in a word or as a flag. */
export const sharing: Read<boolean | string> = (report, path, value) => {
  if (typeof value === "boolean") return value
  if (typeof value === "string") return text(report, path, value)
  report.error(path, `must be true, false, ${oneOf(ISOLATIONS)}, is ${show(value)}`)
  return undefined
}

export const text: Read<string> = (report, path, value) => {
  if (typeof value !== "string" || value.trim() === "") {
    report.error(path, `must be a string that is not empty, is ${kindOf(value)}`)
    return undefined
  }
  return withoutNul(report, path, value)
}

/** The end of "must be …" for one of a few words. */
export const oneOf = (choices: ReadonlyArray<string | boolean>): string => {
  const words = choices.map((choice) => JSON.stringify(choice))
  return words.length > 2 ? `one of ${words.join(", ")}` : words.join(" or ")
}

/** A text that becomes one of a few words once its variables are put in: what is none says which there are. */
export const word =
  (choices: ReadonlyArray<string>): Read<string> =>
  (report, path, value) => {
    if (typeof value === "string" && value.trim() !== "") return withoutNul(report, path, value)
    report.error(path, `must be ${oneOf(choices)}, is ${show(value)}`)
    return undefined
  }

const withoutNul = (report: Report, path: KeyPath, value: string): string | undefined => {
  if (!value.includes("\0")) return value
  report.error(path, "must not hold a NUL character")
  return undefined
}

const list =
  (element: Read<string>, what: string): Read<ReadonlyArray<Located<string>>> =>
  (report, path, value) => {
    if (!Array.isArray(value)) {
      report.error(path, `must be a list of ${what}, is ${kindOf(value)}`)
      return undefined
    }
    return value.flatMap((item: unknown, index) => {
      const place = [...path, index]
      const read = element(report, place, item)
      return read === undefined ? [] : [{ path: place, value: read }]
    })
  }

/** An argument may be an empty string, and a bare number is what was meant. */
const argument: Read<string> = (report, path, value) => {
  if (typeof value === "string") return withoutNul(report, path, value)
  if (typeof value === "number") return scalar(report, path, value)
  report.error(path, `must be a string, is ${kindOf(value)}`)
  return undefined
}

export const args = list(argument, "strings")
export const globs = list(text, "names or patterns")
export const paths = list(text, "paths")
export const names = list(text, "names")
export const scopes = list(text, 'scopes, or one string such as "read write"')

const exact = (value: number) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))

const scalar: Read<string> = (report, path, value) => {
  if (typeof value === "string") return withoutNul(report, path, value)
  if (typeof value === "boolean" || (typeof value === "number" && exact(value))) return String(value)
  report.error(
    path,
    typeof value === "number"
      ? "is a number that cannot be kept exactly: put it in quotes"
      : `must be a string, a number or a boolean, is ${kindOf(value)}`
  )
  return undefined
}

/** Without the members that are `undefined`, so that they cannot stand in for others. */
export const defined = <A extends object>(fields: { readonly [K in keyof A]: A[K] | undefined }): Partial<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<A>

/** `env` and `headers`: texts by name. */
export const scalars: Read<ReadonlyArray<readonly [string, Located<string>]>> = (report, path, value) => {
  const members = record(report, path, value)
  return members === undefined
    ? undefined
    : membersOf(members).flatMap(([name, raw]) => {
        const place = [...path, name]
        const read = scalar(report, place, raw)
        return read === undefined ? [] : [[name, { path: place, value: read }] as const]
      })
}

/** Milliseconds, with a fraction or without: timers know whole ones, so a fraction counts as one more. `what` completes "must be …". */
export const milliseconds = (what: string, min: number, max: number): Read<number> => {
  const read = whole(what, min, max)
  return (report, path, value) => read(report, path, typeof value === "number" && value > 0 ? Math.ceil(value) : value)
}

const SECOND_MS = 1000

/** The same for how long something may take. Who writes 30 means seconds, as other programs take them. */
export const patience = (what: string, min: number, max: number): Read<number> => {
  const readMs = milliseconds(what, min, max)
  return (report, path, value) => {
    const read = readMs(report, path, value)
    if (read !== undefined && read < SECOND_MS) {
      report.warn(path, `counts milliseconds: for ${String(value)} seconds write ${Number(value) * SECOND_MS}`)
    }
    return read
  }
}

/** Whole numbers within bounds; `what` completes "must be …". */
export const whole =
  (what: string, min: number, max: number = Number.MAX_SAFE_INTEGER): Read<number> =>
  (report, path, value) => {
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value
    const tooMuch = typeof value === "number" && value > max
    const fraction = typeof value === "number" && value > min && !Number.isInteger(value) ? ", without a fraction" : ""
    report.error(
      path,
      tooMuch ? `must be at most ${max}, is ${value}` : `must be ${what}${fraction}, is ${show(value)}`
    )
    return undefined
  }
