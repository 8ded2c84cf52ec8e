/**
 * Resolves a `$ref` within one document: by pointer, anchor or identifier. Nothing outside is read: other references do not
 * resolve.
 */
import { JSON_MAX_NODES } from "../../defaults/Wire.ts"
import { isObject } from "../../data/Json.ts"

/** `undefined` when there is no target. */
export type Resolve = (reference: string) => unknown

interface Places {
  readonly ids: ReadonlyMap<string, unknown>
  readonly anchors: ReadonlyMap<string, unknown>
}

const ID_KEYWORDS = ["$id", "id"] as const
const ANCHOR_KEYWORDS = ["$anchor", "$dynamicAnchor"] as const

/** All names of places in the document. Of two with the same name the first counts. */
const placesIn = (root: unknown): Places => {
  const ids = new Map<string, unknown>()
  const anchors = new Map<string, unknown>()
  const add = (places: Map<string, unknown>, name: unknown, place: unknown) => {
    if (typeof name === "string" && name !== "" && !places.has(name)) places.set(name, place)
  }
  const seen = new Set<object>()
  const waiting: Array<unknown> = [root]
  while (waiting.length > 0 && seen.size < JSON_MAX_NODES) {
    const node = waiting.pop()
    if (typeof node !== "object" || node === null || seen.has(node)) continue
    seen.add(node)
    if (isObject(node)) {
      for (const keyword of ID_KEYWORDS) {
        const id = node[keyword]
        // Draft 7 writes an anchor as an identifier that is only a fragment.
        if (typeof id === "string" && id.startsWith("#")) add(anchors, id.slice(1), node)
        else add(ids, typeof id === "string" ? id.replace(/#$/, "") : id, node)
      }
      for (const keyword of ANCHOR_KEYWORDS) add(anchors, node[keyword], node)
    }
    // One at a time: the list may be too long for the arguments of one call.
    for (const child of Object.values(node).toReversed()) waiting.push(child)
  }
  return { ids, anchors }
}

const decoded = (fragment: string): string => {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

const follow = (start: unknown, pointer: string): unknown => {
  let node = start
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replace(/~1/g, "/").replace(/~0/g, "~")
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined
    node = (node as Record<string, unknown>)[key]
  }
  return node
}

/** Some generators mean `#/$defs/Name` and write `Name`. */
const named = (root: unknown, name: string): unknown => {
  for (const keyword of ["$defs", "definitions"]) {
    const definitions = isObject(root) && Object.hasOwn(root, keyword) ? root[keyword] : undefined
    if (isObject(definitions) && Object.hasOwn(definitions, name)) return definitions[name]
  }
  return undefined
}

export const makeResolve = (root: unknown): Resolve => {
  let places: Places | undefined
  const known = new Map<string, unknown>()

  const find = (reference: string): unknown => {
    const hash = reference.indexOf("#")
    const base = hash === -1 ? reference : reference.slice(0, hash)
    const fragment = hash === -1 ? "" : decoded(reference.slice(hash + 1))
    if (base === "" && (fragment === "" || fragment.startsWith("/"))) return follow(root, fragment)
    places ??= placesIn(root)
    const start = base === "" ? root : places.ids.get(base)
    if (fragment === "") return start ?? named(root, base)
    if (start === undefined) return undefined
    return fragment.startsWith("/") ? follow(start, fragment) : (places.anchors.get(fragment) ?? named(root, fragment))
  }

  return (reference) => {
    if (!known.has(reference)) known.set(reference, find(reference))
    return known.get(reference)
  }
}
