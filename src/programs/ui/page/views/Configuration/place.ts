/** Which key or value of a JSON5 text a place in it belongs to. */
import type { KeyPath } from "../../../../../schemas/config/KeyPath.ts"
import { type Member, treeOf, type Value } from "./json5Tree.ts"

export interface Place {
  /** Of the key or value there; between keys, of the object around. */
  readonly path: KeyPath
  /** `key`: a key is there, or could be written there. */
  readonly at: "key" | "value"
  /** The path of the object around, and the keys that it has. `undefined` outside of every object. */
  readonly around: { readonly path: KeyPath; readonly keys: ReadonlyArray<string> } | undefined
}

/** A cursor behind the last letter of a key still belongs to it. */
const holds = ({ from, to }: Member, offset: number): boolean => offset >= from && offset <= to

const inside = ({ from, kind, to }: Value, offset: number): boolean => kind !== "scalar" && offset > from && offset < to

const OUTSIDE: Place = { path: [], at: "value", around: undefined }

export const placeAt = (text: string, offset: number): Place => {
  let value = treeOf(text).root
  // Behind the last bracket that does not close, one still writes inside.
  if (value === undefined || !(inside(value, offset) || (offset === value.to && !/[}\]]/.test(text[offset - 1]!)))) {
    return OUTSIDE
  }
  const path: Array<string | number> = []
  let object: Value | undefined
  let depth = 0
  const found = (at: Place["at"]): Place => ({
    path,
    at,
    around: object && { path: path.slice(0, depth), keys: object.members.map(({ key }) => String(key)) }
  })
  for (;;) {
    const isObject: boolean = value.kind === "object"
    if (isObject) [object, depth] = [value, path.length]
    const member: Member | undefined = value.members.find((each) => holds(each, offset))
    if (member === undefined) return found(isObject ? "key" : "value")
    path.push(member.key)
    if (isObject && offset <= member.keyTo) return found("key")
    const within: Value | undefined = member.value
    if (within === undefined || within.kind === "scalar") return found("value")
    if (!inside(within, offset) && !(offset === within.to && offset === text.length)) return found("value")
    value = within
  }
}

/** Where a path is written: of a key, from its first letter to its last. `undefined` if it is not there. */
export const rangeOf = (text: string, path: KeyPath): { readonly from: number; readonly to: number } | undefined => {
  let value = treeOf(text).root
  let found: Member | undefined
  for (const key of path) {
    found = value?.members.findLast((member) => member.key === key)
    if (found === undefined) return undefined
    value = found.value
  }
  return found === undefined ? undefined : { from: found.from, to: Math.max(found.keyTo, found.from) }
}

/** The 1-based line of an offset, and where a line begins. */
export const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

export const startOfLine = (text: string, line: number): number => {
  let at = 0
  for (let passed = 1; passed < line; passed++) {
    const end = text.indexOf("\n", at)
    if (end === -1) return at
    at = end + 1
  }
  return at
}
