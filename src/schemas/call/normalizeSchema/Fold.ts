/**
 * Merges alternatives into one object that has all their properties: for the root, where no provider accepts alternatives,
 * and for providers that accept none next to properties. A sentence says which properties belong together.
 */
import { merge } from "./Merge.ts"
import { withNotes, type Schema } from "./Schema.ts"
import { either, settle } from "./Settle.ts"
import { names, sketch } from "./Sketch.ts"
import { cut, note, oneLine } from "./Text.ts"

export const isObjectLike = ({ types }: Schema): boolean => types === undefined || types.includes("object")

export const fold = (schema: Schema): Schema => {
  const { anyOf, ...base } = schema
  if (anyOf === undefined) return schema
  const branches = anyOf.filter(isObjectLike).map(fold)
  if (branches.length === 0) return base
  const properties = foldProperties(base, branches)
  const common = (branches[0]!.required ?? []).filter((name) =>
    branches.every(({ required }) => required?.includes(name))
  )
  const required = [...new Set([...(base.required ?? []), ...common])]
  const folded: Schema = {
    ...base,
    properties,
    required: required.length === 0 ? undefined : required,
    additional: additionalOf(base, branches, properties)
  }
  return withNotes(folded, [inWords(branches)])
}

const foldProperties = (base: Schema, branches: ReadonlyArray<Schema>): ReadonlyMap<string, Schema> => {
  const versions = new Map<string, Array<Schema>>()
  for (const { properties = [] } of branches) {
    for (const [name, property] of properties) {
      const known = versions.get(name)
      if (known === undefined) versions.set(name, [property])
      else known.push(property)
    }
  }
  const folded = new Map(base.properties)
  for (const [name, all] of versions) {
    const own = folded.get(name)
    const any = either(all)
    // If a branch does not mention the property, only the base applies.
    if (own === undefined) folded.set(name, any)
    else if (all.length === branches.length) folded.set(name, settle(merge(own, any)))
  }
  return folded
}

const additionalOf = (base: Schema, branches: ReadonlyArray<Schema>, properties: ReadonlyMap<string, Schema>) => {
  if (base.additional !== undefined && base.additional !== false) return base.additional
  const isClosed = base.additional === false && properties.size === (base.properties?.size ?? 0)
  return isClosed || branches.every(({ additional }) => additional === false) ? false : undefined
}

const LABEL_MAX_CHARS = 80

const inWords = (branches: ReadonlyArray<Schema>): string => {
  const isOnlyRequired = branches.every(({ properties, required }) => required !== undefined && !properties?.size)
  if (isOnlyRequired) return note(`Needed: ${branches.map(({ required = [] }) => names(required)).join("; or ")}`)
  const shown = branches.map((branch) => {
    const label = branch.title ?? branch.description
    return `${sketch(branch)}${label === undefined ? "" : ` (${cut(oneLine(label), LABEL_MAX_CHARS)})`}`
  })
  return note(`One of: ${[...new Set(shown)].join(" | ")}`)
}
