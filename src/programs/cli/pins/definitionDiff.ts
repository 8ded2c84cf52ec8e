/**
 * The differences between two definitions of a tool, or two ways to start a server: texts word by word, schemas by the path
 * of each value.
 */
import { DEFINITION_DIFF_MAX_PLACES } from "../../../schemas/defaults/Pins.ts"
import { isObject, type JsonObject } from "../../../schemas/data/Json.ts"
import type { Pinned, ServerPins } from "../../../schemas/call/Pins.ts"
import { wordDiff, type Piece } from "../../../schemas/content/WordDiff.ts"

export interface Difference {
  /** `description`, `inputSchema.properties.path.type`. */
  readonly place: string
  readonly pieces: ReadonlyArray<Piece>
}

// ---- values by path ------------------------------------------------------------------------------------------------

const keyIn = (place: string, key: string): string =>
  /^[A-Za-z_$][\w$-]*$/.test(key) ? `${place}.${key}` : `${place}[${JSON.stringify(key)}]`

/**
 * Every leaf value by its path; an empty list or object is a leaf. Not recursive, so that deep values cannot overflow the stack.
 */
const leavesOf = (root: string, value: unknown): ReadonlyMap<string, string> => {
  const leaves = new Map<string, string>()
  const left: Array<readonly [string, unknown]> = value === undefined ? [] : [[root, value]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [place, node] = next
    const parts: ReadonlyArray<readonly [string, unknown]> = Array.isArray(node)
      ? node.map((item: unknown, i) => [`${place}[${i}]`, item] as const)
      : isObject(node)
        ? Object.entries(node).map(([key, member]) => [keyIn(place, key), member] as const)
        : []
    if (parts.length === 0) leaves.set(place, typeof node === "string" ? node : JSON.stringify(node))
    for (const part of parts.toReversed()) left.push(part)
  }
  return leaves
}

const textOf = (value: string | undefined): string => value ?? ""

const differenceAt = (
  place: string,
  before: string | undefined,
  after: string | undefined
): ReadonlyArray<Difference> => (before === after ? [] : [{ place, pieces: wordDiff(textOf(before), textOf(after)) }])

const schemaDifferences = (root: string, before: unknown, after: unknown): ReadonlyArray<Difference> => {
  const [a, b] = [leavesOf(root, before), leavesOf(root, after)]
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((place) => differenceAt(place, a.get(place), b.get(place)))
}

// ---- definitions ---------------------------------------------------------------------------------------------------

const SCHEMAS = ["inputSchema", "outputSchema", "annotations"] as const

/** Without `before`, everything is new. Returns at most `DEFINITION_DIFF_MAX_PLACES` differences, and how many more there are. */
export const definitionDiff = (
  { instructions }: Pick<ServerPins, "instructions">,
  before: Pinned | undefined,
  after: Pinned
): { readonly differences: ReadonlyArray<Difference>; readonly more: number } => {
  const [a, b] = [before?.definition, after.definition]
  const spoken = (pinned: Pinned | undefined) =>
    pinned === undefined ? undefined : instructions.get(pinned.instructions)
  const all = [
    ...(before === undefined ? [] : differenceAt("instructions of the server", spoken(before), spoken(after))),
    ...differenceAt("name", a?.name, b.name),
    ...differenceAt("title", a?.title, b.title),
    ...differenceAt("description", a?.description, b.description),
    ...SCHEMAS.flatMap((part) => schemaDifferences(part, a?.[part], b[part]))
  ]
  const differences = all.slice(0, DEFINITION_DIFF_MAX_PLACES)
  return { differences, more: all.length - differences.length }
}

// ---- how a server is started ---------------------------------------------------------------------------------------

/** A list as one line. */
const lineOf = (value: unknown): string | undefined => {
  if (value === undefined || typeof value === "string") return value
  if (!Array.isArray(value)) return JSON.stringify(value)
  return value.map((word) => (/^[^\s"]+$/.test(String(word)) ? String(word) : JSON.stringify(word))).join(" ")
}

/** The differences between two `startedAs` values. */
export const startedDiff = (before: JsonObject, after: JsonObject): ReadonlyArray<Difference> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    differenceAt(key, lineOf(before[key]), lineOf(after[key]))
  )
