/** Keywords that contain schemas: for parts of a value, for the same value, or elsewhere in the document. */
import { isObject } from "../../../../schemas/data/Json.ts"
import {
  FITS,
  forget,
  MISMATCH,
  OPEN,
  spend,
  type Keyword,
  type Look,
  type Making,
  type Node,
  type Rule
} from "./Look.ts"

/** The worse of two verdicts that must both be good. */
const worse = <A extends number>(some: A, other: A): A => (some > other ? some : other)

// ---- parts of an object ----------------------------------------------------------------------------------------------

const properties: Keyword = (argument, { check, nodeOf }) => {
  if (!isObject(argument)) return undefined
  const declared = Object.entries(argument).map(([name, schema]) => [name, nodeOf(schema)] as const)
  return (value, look) => {
    if (!isObject(value)) return FITS
    if (!spend(look, declared.length)) return OPEN
    let verdict: typeof FITS | typeof OPEN = FITS
    for (const [name, node] of declared) {
      if (!Object.hasOwn(value, name)) continue
      const found = check(node, value[name], look)
      if (found === MISMATCH) {
        look.path.push(name)
        return MISMATCH
      }
      if (look.gaveUp) return OPEN
      verdict = worse(verdict, found)
    }
    return verdict
  }
}

const namesOf = (schemas: unknown): ReadonlySet<string> => new Set(isObject(schemas) ? Object.keys(schemas) : [])

/** With patterns of names, it is open which names `additionalProperties` applies to. */
const additionalProperties: Keyword = (argument, { check, nodeOf, siblings }) => {
  const declared = namesOf(siblings["properties"])
  const hasPatterns = namesOf(siblings["patternProperties"]).size > 0
  const node = nodeOf(argument)
  return (value, look) => {
    if (!isObject(value) || argument === true) return FITS
    const names = Object.keys(value)
    if (!spend(look, names.length)) return OPEN
    let verdict: typeof FITS | typeof OPEN = FITS
    for (const name of names) {
      if (declared.has(name)) continue
      if (hasPatterns) return OPEN
      const found = check(node, value[name], look)
      if (found === MISMATCH) {
        // If no additional property is allowed, the object itself is wrong.
        if (argument !== false) look.path.push(undefined)
        return MISMATCH
      }
      if (look.gaveUp) return OPEN
      verdict = worse(verdict, found)
    }
    return verdict
  }
}

// ---- parts of a list -------------------------------------------------------------------------------------------------

const each = (
  value: ReadonlyArray<unknown>,
  start: number,
  end: number,
  nodeAt: (i: number) => Node,
  look: Look,
  check: Making["check"]
) => {
  let verdict: typeof FITS | typeof OPEN = FITS
  for (let i = start; i < end; i++) {
    const node = nodeAt(i)
    const found = check(node, value[i], look)
    if (found === MISMATCH) {
      // If no further item is allowed, the list itself is wrong.
      if (node.schema !== false) look.path.push(i)
      return MISMATCH
    }
    if (look.gaveUp) return OPEN
    verdict = worse(verdict, found)
  }
  return verdict
}

const prefixItems: Keyword = (argument, { check, nodeOf }) => {
  if (!Array.isArray(argument)) return undefined
  const nodes = argument.map(nodeOf)
  const nodeAt = (i: number) => nodes[i]!
  return (value, look) =>
    Array.isArray(value) ? each(value, 0, Math.min(nodes.length, value.length), nodeAt, look, check) : FITS
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0)

const rest = (argument: unknown, start: number, { check, nodeOf }: Making): Rule => {
  const node = nodeOf(argument)
  const nodeAt = () => node
  return (value, look) => (Array.isArray(value) ? each(value, start, value.length, nodeAt, look, check) : FITS)
}

/** Before 2020-12 this could be a list of schemas, and `additionalItems` applied to the rest. */
const items: Keyword = (argument, making) =>
  Array.isArray(argument)
    ? prefixItems(argument, making)
    : rest(argument, lengthOf(making.siblings["prefixItems"]), making)

const additionalItems: Keyword = (argument, making) => {
  const { items: before } = making.siblings
  return Array.isArray(before) ? rest(argument, before.length, making) : () => FITS
}

// ---- the same value --------------------------------------------------------------------------------------------------

const nodesOf = (argument: unknown, { nodeOf }: Making): ReadonlyArray<Node> | undefined =>
  Array.isArray(argument) && argument.length > 0 ? argument.map(nodeOf) : undefined

const allOf: Keyword = (argument, making) => {
  const nodes = nodesOf(argument, making)
  if (nodes === undefined) return undefined
  return (value, look) => {
    let verdict: typeof FITS | typeof OPEN = FITS
    for (const node of nodes) {
      const found = making.check(node, value, look)
      if (found === MISMATCH) return MISMATCH
      if (look.gaveUp) return OPEN
      verdict = worse(verdict, found)
    }
    return verdict
  }
}

/** At least one and at most `most` must fit. */
const some =
  (most: number): Keyword =>
  (argument, making) => {
    const nodes = nodesOf(argument, making)
    if (nodes === undefined) return undefined
    return (value, look) => {
      let good = 0
      let open = 0
      for (const node of nodes) {
        const found = making.check(node, value, look)
        if (found === MISMATCH) forget(look)
        else if (found === OPEN) open++
        else if (++good > most) return MISMATCH
        else if (most === Infinity) return FITS
        if (look.gaveUp) return OPEN
      }
      if (open > 0) return OPEN
      return good > 0 ? FITS : MISMATCH
    }
  }

const not: Keyword = (argument, { check, nodeOf }) => {
  const node = nodeOf(argument)
  return (value, look) => {
    const found = check(node, value, look)
    if (found === OPEN) return OPEN
    forget(look)
    return found === FITS ? MISMATCH : FITS
  }
}

const conditional: Keyword = (argument, { check, nodeOf, siblings }) => {
  const condition = nodeOf(argument)
  const [yes, no] = ["then", "else"].map((word) => (siblings[word] === undefined ? undefined : nodeOf(siblings[word])))
  return (value, look) => {
    const found = check(condition, value, look)
    if (found === OPEN) return OPEN
    forget(look)
    const next = found === FITS ? yes : no
    return next === undefined ? FITS : check(next, value, look)
  }
}

// ---- elsewhere -------------------------------------------------------------------------------------------------------

/** References to other documents are not resolved. */
const reference: Keyword = (argument, { check, nodeOf, resolve }) => {
  const target = typeof argument === "string" ? resolve(argument) : undefined
  if (target === undefined) return undefined
  const node = nodeOf(target)
  return (value, look) => check(node, value, look)
}

export const INNER_KEYWORDS: Readonly<Record<string, Keyword>> = {
  $ref: reference,
  properties,
  additionalProperties,
  prefixItems,
  items,
  additionalItems,
  allOf,
  anyOf: some(Infinity),
  oneOf: some(1),
  not,
  if: conditional
}
