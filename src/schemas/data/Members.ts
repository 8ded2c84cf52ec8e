/** Members of nested objects and lists, by their path. Only own members count. */
import { isObject } from "./Json.ts"

export type Path = ReadonlyArray<string | number>

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

/** The same value without that member. */
export const withoutMember = (root: unknown, path: Path): unknown => {
  const [outer, key] = [path.slice(0, -1), path.at(-1)]
  const object = memberAt(root, outer)
  if (!isObject(object) || typeof key !== "string") return root
  return withMember(root, outer, Object.fromEntries(Object.entries(object).filter(([name]) => name !== key)))
}
