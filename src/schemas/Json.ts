/**
 * JSON values from outside: their types, and the bounds that are checked before anything recursive touches them.
 */
import { JSON_MAX_DEPTH, JSON_MAX_NODES } from "./Defaults.ts"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const FLAT_MAX_KEYS = 64

/** A small object without nesting, as most arguments are: worth knowing without an allocation. */
const isFlat = (value: object): boolean => {
  if (Array.isArray(value)) return false
  let keys = 0
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key]
    if (++keys > FLAT_MAX_KEYS || (typeof child === "object" && child !== null)) return false
  }
  return true
}

/**
 * Whether a parsed value is safe to hand to recursive code (`JSON.stringify` overflows its stack near depth 10,000).
 * Iterative, linear, stops at the first bound.
 */
export const withinBounds = (
  root: unknown,
  maxDepth: number = JSON_MAX_DEPTH,
  maxNodes: number = JSON_MAX_NODES
): boolean => {
  if (typeof root !== "object" || root === null) return true
  if (maxDepth > 0 && maxNodes >= FLAT_MAX_KEYS && isFlat(root)) return true
  let nodes = 0
  let level: Array<object> = [root]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return false
    const next: Array<object> = []
    for (const node of level) {
      const children = Array.isArray(node) ? node : Object.values(node)
      nodes += children.length
      if (nodes > maxNodes) return false
      for (const child of children) if (typeof child === "object" && child !== null) next.push(child)
    }
    level = next
  }
  return true
}

/** Sorts the keys of every object, so that equal values have equal text. Only for bounded values. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, node: unknown) =>
    isObject(node)
      ? Object.fromEntries(Object.entries(node).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : node
  ) ?? "null"
