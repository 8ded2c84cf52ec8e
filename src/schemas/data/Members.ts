/** Members of nested objects and lists, by their path. Only own members count. */
import { isObject } from "./Json.ts"

type Path = ReadonlyArray<string | number>

/** `undefined` if there is none. */
export const memberAt = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return typeof key === "number" ? (value as ReadonlyArray<unknown>)[key] : undefined
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }, root)

/** The same value with another member. Objects that are missing on the way are made; lists are not extended. */
export const withMember = (root: unknown, [key, ...rest]: Path, member: unknown): unknown => {
  if (key === undefined) return member
  if (Array.isArray(root)) return root.map((item: unknown, i) => (i === key ? withMember(item, rest, member) : item))
  const object = isObject(root) ? root : {}
  return { ...object, [key]: withMember(Object.hasOwn(object, key) ? object[key] : undefined, rest, member) }
}
