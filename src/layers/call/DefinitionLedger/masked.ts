/** A definition with known secrets masked: a server may put what it was given into what it says of its tools. */
import type { ToolDefinition } from "../../../schemas/connection/Catalogue.ts"
import { takeOverParts, visibleOf, type VisibleDefinition } from "../../../schemas/call/DefinitionHash.ts"
import { isObject, withinBounds } from "../../../schemas/data/Json.ts"
import type { Redactor } from "../../../services/content/Redactor.ts"

type Redact = (text: string) => string

/** The same value where nothing in it is masked. */
const masked = (value: unknown, redact: Redact): unknown => {
  if (typeof value === "string") return redact(value)
  if (Array.isArray(value)) {
    const items = value.map((item) => masked(item, redact))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isObject(value)) return value
  const before = Object.entries(value)
  const after = before.map(([key, member]) => [redact(key), masked(member, redact)] as const)
  const isSame = after.every(([key, member], i) => key === before[i]![0] && member === before[i]![1])
  return isSame ? value : Object.fromEntries(after)
}

/** What cannot be walked is not kept: the hash knows it all the same. */
const tooDeep = (name: string): VisibleDefinition => ({
  name,
  title: undefined,
  description: "(nested too deep to be kept)",
  inputSchema: {},
  outputSchema: undefined,
  annotations: undefined
})

const maskedDefinition = (redact: Redact, definition: ToolDefinition): VisibleDefinition => {
  if (!withinBounds(definition)) return tooDeep(redact(definition.name))
  const visible = visibleOf(definition)
  const kept = masked(visible, redact) as VisibleDefinition
  if (kept === visible) takeOverParts(kept, definition)
  return kept
}

/** Each definition is masked once, and once more when other secrets have become known. */
export const makeMasking = ({ isEmpty, redact, version }: Redactor["Service"]) => {
  const known = new WeakMap<ToolDefinition, { readonly version: number; readonly kept: VisibleDefinition }>()
  return (definition: ToolDefinition): VisibleDefinition => {
    const before = known.get(definition)
    if (before?.version === version()) return before.kept
    const kept = maskedDefinition(isEmpty() ? (text) => text : redact, definition)
    known.set(definition, { version: version(), kept })
    return kept
  }
}
