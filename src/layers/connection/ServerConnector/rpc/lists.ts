/**
 * Lists of definitions. A definition that is nested too deep must not cost its server all the others: the parts of a list that are too deep
 * are removed after parsing, level by level. A definition that lacks something because of that is refused for its depth
 * (schemas/connection/Catalogue.ts).
 */
import { JSON_MAX_DEPTH } from "../../../../schemas/defaults/Wire.ts"
import { withinBounds } from "../../../../schemas/data/Json.ts"

const LISTS: ReadonlySet<string | undefined> = new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "prompts/list"
])

export const isList = (method: string | undefined): boolean => LISTS.has(method)

type Node = Record<string, unknown> | Array<unknown>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null

/** Returns the lists and objects in a node; at the last level it replaces them with `null`. */
const inside = (node: Node, isLast: boolean): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  if (Array.isArray(node)) {
    for (const [index, child] of node.entries()) {
      if (!isNode(child)) continue
      if (isLast) node[index] = null
      else found.push(child)
    }
    return found
  }
  // All of them are own properties, `__proto__` too, because a parser made them.
  for (const [key, child] of Object.entries(node)) {
    if (!isNode(child)) continue
    if (isLast) node[key] = null
    else found.push(child)
  }
  return found
}

/** Cuts an answer to the allowed depth; `false` if it still contains too much. */
export const madeShallow = (answer: Record<string, unknown>): boolean => {
  let level: ReadonlyArray<Node> = [answer]
  for (let depth = 1; depth <= JSON_MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap((node) => inside(node, depth === JSON_MAX_DEPTH))
  }
  return withinBounds(answer)
}
