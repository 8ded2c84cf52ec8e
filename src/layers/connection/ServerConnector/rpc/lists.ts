/**
 * Lists of definitions. One definition that is nested too deep costs itself and not its server: of an answer to these, what
 * lies too deep is left out once it is parsed, by what goes down level by level. A definition that lacks something then is
 * refused for its depth all the same (schemas/connection/Catalogue.ts).
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

/** Gives the lists and objects in a node; of the last level, puts `null` in their place. */
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
  // Each is a property of its own, `__proto__` as well: a parser has made it.
  for (const [key, child] of Object.entries(node)) {
    if (!isNode(child)) continue
    if (isLast) node[key] = null
    else found.push(child)
  }
  return found
}

/** Makes an answer that is not within bounds as deep as it may be; `false` when it still holds too much. */
export const madeShallow = (answer: Record<string, unknown>): boolean => {
  let level: ReadonlyArray<Node> = [answer]
  for (let depth = 1; depth <= JSON_MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap((node) => inside(node, depth === JSON_MAX_DEPTH))
  }
  return withinBounds(answer)
}
