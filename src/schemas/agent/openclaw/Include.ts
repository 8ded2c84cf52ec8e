/** Merges OpenClaw's include files: in order, and the including object wins. Pure. */
import { isObject } from "../../data/Json.ts"
import { RESERVED_NAMES } from "../../config/Fields.ts"

export const INCLUDE = "$include"

/** Concatenates lists, as OpenClaw does; for all other values the later one wins. */
export const mergeIncluded = (before: unknown, after: unknown): unknown => {
  if (Array.isArray(before) && Array.isArray(after))
    return [...(before as Array<unknown>), ...(after as Array<unknown>)]
  if (!isObject(before) || !isObject(after)) return after
  const merged: Record<string, unknown> = { ...before }
  for (const [key, value] of Object.entries(after)) {
    if (RESERVED_NAMES.has(key)) continue
    merged[key] = Object.hasOwn(merged, key) ? mergeIncluded(merged[key], value) : value
  }
  return merged
}

/** The paths that an object includes; `undefined` when they are not texts. */
export const includedIn = (value: Record<string, unknown>): ReadonlyArray<string> | undefined => {
  const given = value[INCLUDE]
  const paths: ReadonlyArray<unknown> = Array.isArray(given) ? given : [given]
  return paths.every((path) => typeof path === "string") ? paths : undefined
}
