/** Checks the options of a program that no compiler has checked, before anything is started. */
import { statSync } from "node:fs"
import { isObject } from "../schemas/data/Json.ts"
import { nearest } from "../schemas/call/Names.ts"
import { kindOf, membersOf, show } from "../schemas/config/Fields.ts"

/** What an option must be, and its description. */
export interface Check {
  readonly holds: (value: unknown) => boolean
  readonly must: string
  /** How to show an invalid value; by default, its kind is named. */
  readonly shown?: (value: unknown) => string
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

export const text: Check = { holds: (value) => typeof value === "string" && value !== "", must: "a string" }

export const flag: Check = { holds: (value) => typeof value === "boolean", must: "true or false", shown: show }

export const texts: Check = {
  holds: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  must: "a list of strings"
}

export const callback: Check = { holds: (value) => typeof value === "function", must: "a function" }

export const milliseconds: Check = {
  holds: (value) => typeof value === "number" && value >= 0,
  must: "a number of milliseconds, 0 or more",
  shown: show
}

export const directory: Check = {
  holds: (value) => typeof value === "string" && value !== "" && isDirectory(value),
  must: "a directory that exists",
  shown: (value) => (typeof value === "string" ? JSON.stringify(value) : kindOf(value))
}

/** Checked by its methods, because it may come from another realm. */
export const abortSignal: Check = {
  holds: (value) =>
    isObject(value) &&
    typeof value["aborted"] === "boolean" &&
    typeof value["addEventListener"] === "function" &&
    typeof value["throwIfAborted"] === "function",
  must: "an AbortSignal"
}

export const oneOf = (words: ReadonlyArray<string>): Check => ({
  holds: (value) => words.some((word) => word === value),
  must: `one of ${words.map((word) => JSON.stringify(word)).join(", ")}`,
  shown: show
})

export const object: Check = { holds: isObject, must: "an object" }

const require = (who: string, place: string, value: unknown, { holds, must, shown = kindOf }: Check): void => {
  if (!holds(value)) throw new TypeError(`${who}: ${place} must be ${must}, is ${shown(value)}`)
}

/** Checks each member. `undefined` counts as left out; unknown members are named. */
export const checkMembers = (
  who: string,
  place: string,
  value: unknown,
  checks: Readonly<Record<string, Check>>
): void => {
  require(who, place, value, object)
  for (const [name, member] of membersOf(value as Record<string, unknown>)) {
    if (!Object.hasOwn(checks, name)) {
      const near = nearest(name, Object.keys(checks))
      const hint = near === null ? `; there are ${Object.keys(checks).join(", ")}` : `, did you mean "${near}"?`
      throw new TypeError(`${who}: ${place}.${name} is unknown${hint}`)
    }
    require(who, `${place}.${name}`, member, checks[name]!)
  }
}
