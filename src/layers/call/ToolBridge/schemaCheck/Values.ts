/** Keywords that check the value itself. A value of another type than they apply to fits. */
import { SCHEMA_CHECK_MAX_DEPTH } from "../../../../schemas/defaults/Definitions.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { FITS, fits, MISMATCH, OPEN, spend, type Keyword, type Look, type Rule } from "./Look.ts"

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: isObject
}

/** `nullable` is OpenAPI's; servers use it here, too. */
const type: Keyword = (argument, { siblings }) => {
  const given = Array.isArray(argument) ? argument : [argument]
  const names = siblings["nullable"] === true && given.length > 0 ? [...given, "null"] : given
  const known = names.filter((name): name is string => typeof name === "string" && Object.hasOwn(TYPES, name))
  const otherwise = known.length === names.length ? MISMATCH : OPEN
  if (names.length === 0) return undefined
  const only = known.length === 1 ? TYPES[known[0]!]! : undefined
  if (only !== undefined) return (value) => (only(value) ? FITS : otherwise)
  const tests = [...new Set(known)].map((name) => TYPES[name]!)
  return (value) => (tests.some((is) => is(value)) ? FITS : otherwise)
}

/** Stops at the first difference. Gives up on values that are nested too deep. */
const equal = (some: unknown, other: unknown, look: Look, depth: number): boolean => {
  if (some === other) return true
  if (!isCompound(some) || !isCompound(other) || Array.isArray(some) !== Array.isArray(other)) return false
  const names = Object.keys(some)
  const others = Object.keys(other).length
  const work = depth > SCHEMA_CHECK_MAX_DEPTH ? Infinity : 1 + names.length + others
  if (!spend(look, work) || names.length !== others) return false
  return names.every((name) => Object.hasOwn(other, name) && equal(some[name], other[name], look, depth + 1))
}

const isCompound = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const oneOfThese = (choices: ReadonlyArray<unknown>): Rule => {
  const plain = new Set(choices.filter((choice) => !isCompound(choice)))
  const compound = choices.filter(isCompound)
  return (value, look) => {
    if (!isCompound(value)) return fits(plain.has(value))
    const isOne = compound.some((choice) => spend(look, 1) && equal(choice, value, look, 0))
    return look.gaveUp ? OPEN : fits(isOne)
  }
}

/** Compares a number in the schema with one that is read from the value. */
const compared =
  (
    read: (value: unknown, look: Look) => number | undefined,
    holds: (read: number, limit: number) => boolean
  ): Keyword =>
  (limit) =>
    typeof limit === "number"
      ? (value, look) => {
          const number = read(value, look)
          return number === undefined ? FITS : fits(holds(number, limit))
        }
      : undefined

const numberIn = (value: unknown) => (typeof value === "number" ? value : undefined)
const itemsIn = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const namesIn = (value: unknown, look: Look) => {
  if (!isObject(value)) return undefined
  const names = Object.keys(value).length
  spend(look, names)
  return names
}

const atLeast = (read: number, limit: number) => read >= limit
const atMost = (read: number, limit: number) => read <= limit
const above = (read: number, limit: number) => read > limit
const below = (read: number, limit: number) => read < limit

/** In draft 4 a boolean makes the adjacent bound exclusive. */
const exclusive =
  (bound: "minimum" | "maximum", holds: (read: number, limit: number) => boolean): Keyword =>
  (argument, making) =>
    typeof argument === "boolean"
      ? compared(numberIn, argument ? holds : () => true)(making.siblings[bound], making)
      : compared(numberIn, holds)(argument, making)

/** 0.3 counts as a multiple of 0.1, despite rounding. */
const isMultiple = (number: number, divisor: number): boolean => {
  const times = number / divisor
  return !Number.isFinite(times) || Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times))
}

/** JSON Schema counts code points, a string counts UTF-16 units; code points are only counted when it matters. */
const lengthRule =
  (decide: (length: number, limit: number) => boolean): Keyword =>
  (limit) => {
    if (typeof limit !== "number") return undefined
    return (value, look) => {
      if (typeof value !== "string") return FITS
      const most = decide(value.length, limit)
      if (most === decide(Math.ceil(value.length / 2), limit)) return fits(most)
      if (!spend(look, Math.ceil(value.length / 16))) return OPEN
      let length = 0
      for (let i = 0; i < value.length; length++) i += value.codePointAt(i)! > 0xffff ? 2 : 1
      return fits(decide(length, limit))
    }
  }

const required: Keyword = (argument) => {
  if (!Array.isArray(argument)) return undefined
  const names = argument.filter((name): name is string => typeof name === "string")
  return (value, look) => {
    if (!isObject(value)) return FITS
    if (!spend(look, names.length)) return OPEN
    for (const name of names) if (!Object.hasOwn(value, name)) return MISMATCH
    return FITS
  }
}

/** Compares only scalar items; whether objects or lists are equal is left open. */
const uniqueItems: Keyword = (argument) => {
  if (typeof argument !== "boolean") return undefined
  return (value, look) => {
    if (!argument || !Array.isArray(value)) return FITS
    if (!spend(look, value.length)) return OPEN
    const plain = value.filter((item) => typeof item !== "object" || item === null)
    if (new Set(plain).size < plain.length) return MISMATCH
    return value.length - plain.length < 2 ? FITS : OPEN
  }
}

export const VALUE_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type,
  enum: (argument) => (Array.isArray(argument) ? oneOfThese(argument) : undefined),
  const: (argument) => oneOfThese([argument]),
  minimum: compared(numberIn, atLeast),
  maximum: compared(numberIn, atMost),
  exclusiveMinimum: exclusive("minimum", above),
  exclusiveMaximum: exclusive("maximum", below),
  multipleOf: (argument, making) =>
    typeof argument === "number" && argument > 0 ? compared(numberIn, isMultiple)(argument, making) : undefined,
  minLength: lengthRule(atLeast),
  maxLength: lengthRule(atMost),
  minItems: compared(itemsIn, atLeast),
  maxItems: compared(itemsIn, atMost),
  uniqueItems,
  minProperties: compared(namesIn, atLeast),
  maxProperties: compared(namesIn, atMost),
  required
}
