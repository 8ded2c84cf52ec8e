/**
 * Merges a newly listed catalogue with the last one: an unchanged definition stays the same object, and so does the whole catalogue
 * if nothing changed. Caches that belong to a definition use it as their key.
 */
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"

/** For parsed values within the bounds of a catalogue. */
const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => same(item, b[i]))
  }
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key as keyof typeof a], b[key as keyof typeof b]))
  )
}

const reconcileList = <A>(
  last: ReadonlyArray<A>,
  next: ReadonlyArray<A>,
  key: (value: A) => string
): ReadonlyArray<A> => {
  const known = new Map(last.map((value) => [key(value), value]))
  const values = next.map((value) => {
    const before = known.get(key(value))
    return before !== undefined && same(before, value) ? before : value
  })
  return values.length === last.length && values.every((value, i) => value === last[i]) ? last : values
}

export const reconcile = (last: Catalogue | undefined, next: Catalogue): Catalogue => {
  if (last === undefined) return next
  const { host, instructions, tooLarge } = next
  const catalogue: Catalogue = {
    ...(instructions === undefined ? {} : { instructions }),
    ...(host === undefined ? {} : { host }),
    ...(tooLarge === undefined ? {} : { tooLarge }),
    offers: same(last.offers, next.offers) ? last.offers : next.offers,
    tools: reconcileList(last.tools, next.tools, (tool) => tool.name),
    resources: reconcileList(last.resources, next.resources, (resource) => resource.uri),
    resourceTemplates: reconcileList(last.resourceTemplates, next.resourceTemplates, (template) => template.uri),
    prompts: reconcileList(last.prompts, next.prompts, (prompt) => prompt.name),
    diagnostics: same(last.diagnostics, next.diagnostics) ? last.diagnostics : next.diagnostics
  }
  const keys = Object.keys(catalogue) as ReadonlyArray<keyof Catalogue>
  const isSaid = instructions === last.instructions && host === last.host && tooLarge === last.tooLarge
  return isSaid && keys.every((key) => catalogue[key] === last[key]) ? last : catalogue
}
