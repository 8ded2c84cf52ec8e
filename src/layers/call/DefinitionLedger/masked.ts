/** Masks known secrets in definitions: a server may repeat a secret that it was given in the text of its tools. */
import type { ToolDefinition } from "../../../schemas/connection/Catalogue.ts"
import { takeOverParts, visibleOf, type VisibleDefinition } from "../../../schemas/call/DefinitionHash.ts"
import { isObject, withinBounds } from "../../../schemas/data/Json.ts"
import type { Redactor } from "../../../services/content/Redactor.ts"

type Redact = (text: string) => string

/** Returns the same value when nothing in it is masked. */
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

/** What is nested too deep is not stored; the hash covers it all the same. */
const tooDeep = (name: string): VisibleDefinition => ({
  name,
  title: undefined,
  description: "(nested too deep to be stored)",
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

/** Caches one result per definition, until another secret is registered. */
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
