/** Expands variables in some keys of a section before its keys are decoded, so that what they stand for is checked. */
import { isObject } from "../data/Json.ts"
import { member } from "./Fields.ts"
import type { Environment } from "./Interpolation.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { Report } from "./Report.ts"
import { resolveText } from "./Resolve.ts"
import type { Place } from "./Sections.ts"

/** `undefined`: a variable has no value, which has been reported. */
const expanded = (report: Report, env: Environment, path: KeyPath, value: unknown): unknown => {
  if (Array.isArray(value)) {
    return value.flatMap((each: unknown, index) => expanded(report, env, [...path, index], each) ?? [])
  }
  if (typeof value !== "string") return value
  const { complete, text } = resolveText(report, env, true, { path, value })
  return complete ? text : undefined
}

/** The same place, with those texts, and texts in those lists, expanded; what has no value is left out. */
export const expandKeys = <P extends Place | undefined>(
  report: Report,
  env: Environment,
  place: P,
  keys: ReadonlyArray<string>
): P => {
  if (place === undefined || !isObject(place.value)) return place
  const { path, value } = place
  const members = Object.entries(value).flatMap(([key, written]) => {
    if (!keys.includes(key) || member(value, key) === undefined) return [[key, written] as const]
    const known = expanded(report, env, [...path, key], written)
    return known === undefined ? [] : [[key, known] as const]
  })
  return { ...place, value: Object.fromEntries(members) }
}
