/** Reads values of unknown shape. */
import { isObject } from "../../../data/Json.ts"

export const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value)

export const membersAt = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<readonly [string, unknown]> => {
  const found = at(value, path)
  return isObject(found) ? Object.entries(found) : []
}

export const textAt = (value: unknown, path: ReadonlyArray<string>): string | undefined => {
  const found = at(value, path)
  return typeof found === "string" && found.trim() !== "" ? found.trim() : undefined
}

export const textsAt = (value: unknown, path: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = at(value, path)
  return Array.isArray(found) ? found.filter((one): one is string => typeof one === "string") : []
}

const PLAIN = /^[A-Za-z_][\w-]*$/
const INDEX = /^\d{1,9}$/

/** `mcp.servers.docs.args[2]`; keys with other characters are quoted. */
export const keyPath = (...keys: ReadonlyArray<string>): string =>
  keys
    .map((key, i) => {
      if (PLAIN.test(key)) return `${i === 0 ? "" : "."}${key}`
      return INDEX.test(key) ? `[${key}]` : `[${JSON.stringify(key)}]`
    })
    .join("")
