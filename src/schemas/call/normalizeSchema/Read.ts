/**
 * Reads whatever a server sent as a schema into the normalizer's terms. Understands every spelling from draft 4 to 2020-12
 * and replaces references by their targets. It always ends: recursive references are cut, and so are references after others
 * have added too much.
 */
import {
  SCHEMA_EXPANSION_MAX_CHARS,
  SCHEMA_READ_MAX_DEPTH,
  SCHEMA_READ_MAX_NODES,
  SCHEMA_UNION_MAX
} from "../../defaults/Definitions.ts"
import { isObject } from "../../data/Json.ts"
import { readKeywords, type Raw } from "./Keywords.ts"
import { mergeAll } from "./Merge.ts"
import { makeResolve, type Resolve } from "./References.ts"
import { ANYTHING, isAnything, nullable, withNotes, type Schema } from "./Schema.ts"
import { alternatives, names, sketch, sketchName } from "./Sketch.ts"
import { note } from "./Text.ts"

/** `false`: no value is allowed. */
type Read = Schema | false

interface Parts {
  readonly schema: Schema
  /** What can only be said in words. */
  readonly notes: ReadonlyArray<string>
}

interface Condition {
  readonly branches: ReadonlyArray<Read>
  readonly words: ReadonlyArray<string>
}

const NO_CONDITION: Condition = { branches: [], words: [] }

const TOO_DEEP = "Nested deeper than can be shown"
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"] as const
/** A pattern that matches all names. */
const ANY_NAME = /^\^?\(?\.[*+]\)?\$?$/

/** How many levels of references are followed: tried in this order, until the result is small enough. */
const REFERENCE_LEVELS = [24, 8, 5, 3, 2, 1]

export const read = (root: unknown): Schema => {
  const resolve = makeResolve(root)
  let outcome: Schema = ANYTHING
  for (const levels of REFERENCE_LEVELS) {
    const attempt = readWithin(root, resolve, levels)
    outcome = attempt.schema
    if (!attempt.isExhausted) break
  }
  return outcome
}

const readWithin = (root: unknown, resolve: Resolve, levels: number) => {
  /** Targets of the references that are currently followed. */
  const active = new Set<unknown>([root])
  let expanded = 0
  let nodes = 0

  const schema = (value: unknown, depth: number): Read => {
    if (value === false) return false
    if (!isObject(value)) return ANYTHING
    if (active.size > 1) expanded += sizeOf(value)
    if (depth > SCHEMA_READ_MAX_DEPTH || ++nodes > SCHEMA_READ_MAX_NODES) return withNotes(outline(value), [TOO_DEEP])
    const parts = [
      own(value, depth),
      ...referenced(value, depth),
      ...list(value, "allOf", depth),
      ...unions(value, depth)
    ]
    if (parts.includes(false)) return false
    const whole = conditional(mergeAll(parts as ReadonlyArray<Schema>), value, depth)
    return value["nullable"] === true ? nullable(whole) : whole
  }

  // ---- references ------------------------------------------------------------------------------------------------------

  const referenced = (value: Raw, depth: number): ReadonlyArray<Read> =>
    REFERENCES.flatMap((keyword) => {
      const reference = value[keyword]
      return typeof reference === "string" ? [follow(reference, depth)] : []
    })

  const follow = (reference: string, depth: number): Read => {
    const target = resolve(reference)
    if (target === undefined) return { notes: ["Defined elsewhere: not shown"] }
    const isCycle = active.has(target)
    const isTooMuch = active.size > levels || expanded > SCHEMA_EXPANSION_MAX_CHARS
    if (isObject(target) && (isCycle || isTooMuch)) return cutOff(reference, target, isCycle)
    const isNew = isObject(target)
    if (isNew) active.add(target)
    const found = schema(target, depth + 1)
    if (isNew) active.delete(target)
    return found
  }

  // ---- the parts of a node -------------------------------------------------------------------------------------------

  /** The caller handles `false`. */
  const child = (value: unknown, depth: number): Read => schema(value, depth + 1)

  const list = (value: Raw, keyword: string, depth: number): ReadonlyArray<Read> => {
    const given = value[keyword]
    return Array.isArray(given) ? given.map((item) => child(item, depth)) : []
  }

  /** `anyOf` and `oneOf` both become unions: a caller could not use the difference. */
  const unions = (value: Raw, depth: number): ReadonlyArray<Read> =>
    ["anyOf", "oneOf"].flatMap((keyword): ReadonlyArray<Read> => {
      const given = value[keyword]
      if (!Array.isArray(given) || given.length === 0) return []
      const branches = list(value, keyword, depth).filter((branch) => branch !== false)
      if (branches.length === 0) return [false]
      if (branches.length === 1) return branches
      if (branches.length <= SCHEMA_UNION_MAX) return [{ anyOf: branches }]
      return [{ notes: [note(`One of ${branches.length} alternatives: ${alternatives(branches)}`)] }]
    })

  const own = (value: Raw, depth: number): Schema => {
    const object = objectParts(value, depth)
    const keywords = { ...readKeywords(value), ...arrayParts(value, depth), ...object.schema }
    return withNotes(keywords, [
      ...object.notes,
      ...inWords("Not", value["not"], depth),
      ...inWords("Contains", value["contains"], depth),
      ...inWords("Property names", value["propertyNames"], depth)
    ])
  }

  const inWords = (label: string, value: unknown, depth: number): ReadonlyArray<string> => {
    if (!isObject(value)) return []
    const described = child(value, depth)
    if (described === false) return []
    const text = describe(described)
    return text === "any" || (label === "Property names" && text === "string") ? [] : [note(`${label}: ${text}`)]
  }

  const arrayParts = (value: Raw, depth: number): Schema => {
    const { additionalItems, items, prefixItems } = value
    const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? additionalItems : items
    const prefix = tuple.map((item) => child(item, depth) || ANYTHING)
    const others = rest === undefined ? undefined : child(rest, depth)
    const parts = { prefixItems: prefix.length === 0 ? undefined : prefix, items: others || undefined }
    if (others !== false) return parts
    // Nothing may follow the last item: expressed by the length, which every provider understands.
    const { bounds } = readKeywords(value)
    return { ...parts, bounds: { ...bounds, maxItems: Math.min(prefix.length, bounds?.maxItems ?? Infinity) } }
  }

  const objectParts = (value: Raw, depth: number): Parts => {
    const given = isObject(value["properties"]) ? Object.entries(value["properties"]) : undefined
    const properties = new Map<string, Schema>()
    const required = new Set(stringsOf(value["required"]))
    for (const [name, raw] of given ?? []) {
      const property = child(raw, depth)
      if (property === false) continue
      properties.set(name, property)
      // Draft 3, and a common mistake.
      if (isObject(raw) && raw["required"] === true) required.add(name)
    }
    const others = otherProperties(value, depth)
    return {
      schema: {
        properties: given === undefined ? undefined : properties,
        required: required.size === 0 ? undefined : [...required],
        ...others.schema
      },
      notes: others.notes
    }
  }

  /** Properties in addition to the named ones. Those of `patternProperties` count as such; their patterns go into words. */
  const otherProperties = (value: Raw, depth: number): Parts => {
    const raw = value["additionalProperties"]
    const rest = raw === undefined || raw === true ? undefined : child(raw, depth)
    const patterns = isObject(value["patternProperties"]) ? Object.entries(value["patternProperties"]) : []
    const ofPatterns = patterns.flatMap(([pattern, raw]) => {
      const schema = child(raw, depth)
      return schema === false ? [] : [{ pattern, schema }]
    })
    const notes = ofPatterns
      .filter(({ pattern }) => !ANY_NAME.test(pattern))
      .map(({ pattern, schema }) => note(`Properties whose name matches ${pattern}: ${sketch(schema)}`))
    if (ofPatterns.length === 0) return { schema: { additional: rest }, notes }
    // If other names are free as well, no schema applies to all of them.
    const isFree = rest === undefined && !ofPatterns.some(({ pattern }) => ANY_NAME.test(pattern))
    const allowed = [...ofPatterns.map(({ schema }) => schema), ...(rest === undefined || rest === false ? [] : [rest])]
    if (isFree || allowed.some(isAnything)) return { schema: {}, notes }
    return { schema: { additional: allowed.length === 1 ? allowed[0] : { anyOf: allowed } }, notes }
  }

  /** Conditions go into words; the properties that only they mention become optional properties. */
  const conditional = (whole: Schema, value: Raw, depth: number): Schema => {
    const conditions = [...dependencies(value, depth), ...choice(value, depth)]
    if (conditions.length === 0) return whole
    const added = new Map<string, Schema>()
    for (const branch of conditions.flatMap(({ branches }) => branches)) {
      if (branch === false) continue
      for (const [name, property] of branch.properties ?? []) {
        if (whole.properties?.has(name)) continue
        const known = added.get(name)
        added.set(name, known === undefined ? property : { anyOf: [known, property] })
      }
    }
    const opened = added.size === 0 ? whole : { ...whole, properties: new Map([...(whole.properties ?? []), ...added]) }
    return withNotes(
      opened,
      conditions.flatMap(({ words }) => words)
    )
  }

  const dependencies = (value: Raw, depth: number): ReadonlyArray<Condition> =>
    ["dependentRequired", "dependentSchemas", "dependencies"].flatMap((keyword) =>
      Object.entries(isObject(value[keyword]) ? value[keyword] : {}).map(([name, needed]): Condition => {
        const label = `With ${sketchName(name)}`
        if (Array.isArray(needed)) {
          return { branches: [], words: [note(`${label}, also needed: ${names(stringsOf(needed))}`)] }
        }
        const branch = child(needed, depth)
        return branch === false || isAnything(branch)
          ? NO_CONDITION
          : { branches: [branch], words: [note(`${label}: ${sketch(branch)}`)] }
      })
    )

  const choice = (value: Raw, depth: number): ReadonlyArray<Condition> => {
    if (!isObject(value["if"])) return []
    const [condition, then, otherwise] = ["if", "then", "else"].map((keyword) =>
      value[keyword] === undefined ? ANYTHING : child(value[keyword], depth)
    ) as [Read, Read, Read]
    const words = [
      ...(then === ANYTHING ? [] : [`then ${describe(then)}`]),
      ...(otherwise === ANYTHING ? [] : [`else ${describe(otherwise)}`])
    ]
    if (words.length === 0) return []
    return [{ branches: [then, otherwise], words: [note([`If ${describe(condition)}`, ...words].join(", "))] }]
  }

  const outcome = schema(root, 0) || ANYTHING
  return { schema: outcome, isExhausted: expanded > SCHEMA_EXPANSION_MAX_CHARS }
}

const describe = (schema: Read): string => (schema === false ? "nothing" : sketch(schema))

const stringsOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : []

/** The approximate size that a node itself adds to the document. */
const sizeOf = (value: Raw): number => {
  let size = 16
  for (const key in value) {
    const child = value[key]
    size += key.length + (typeof child === "string" ? child.length : Array.isArray(child) ? 8 * child.length : 8)
  }
  return size
}

/** The type of value that a node describes, without its contents. */
const outline = (value: Raw): Schema => {
  const own = readKeywords({ type: value["type"] }).types
  if (own !== undefined) return { types: own }
  if (isObject(value["properties"]) || isObject(value["additionalProperties"])) return { types: ["object"] }
  if (value["items"] !== undefined) return { types: ["array"] }
  const branches = value["anyOf"] ?? value["oneOf"]
  if (!Array.isArray(branches) || branches.length === 0) return ANYTHING
  const kinds = branches.map((branch) => (isObject(branch) ? readKeywords({ type: branch["type"] }).types : undefined))
  return kinds.includes(undefined) ? ANYTHING : { types: [...new Set(kinds.flatMap((types) => types ?? []))] }
}

/** Replaces something that is not repeated. */
const cutOff = (reference: string, target: Raw, isCycle: boolean): Schema => {
  const name = reference.slice(reference.lastIndexOf("/") + 1).replace(/^#/, "")
  const properties = isObject(target["properties"]) ? Object.keys(target["properties"]) : []
  const shape = properties.length === 0 ? "" : ` {${names(properties)}}`
  const of = name === "" ? "the whole" : sketchName(name)
  return withNotes(outline(target), [note(`${isCycle ? "Nested again" : "Not repeated here"}: ${of}${shape}`)])
}
