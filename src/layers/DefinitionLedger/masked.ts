/** A definition with known secrets masked: a server may put what it was given into what it says of its tools. */
import type { ToolDefinition } from "../../schemas/Catalogue.ts"
import { visibleOf, type VisibleDefinition } from "../../schemas/DefinitionHash.ts"
import { isObject, withinBounds } from "../../schemas/Json.ts"

type Redact = (text: string) => string

const masked = (value: unknown, redact: Redact): unknown => {
  if (typeof value === "string") return redact(value)
  if (Array.isArray(value)) return value.map((item) => masked(item, redact))
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, member]) => [redact(key), masked(member, redact)]))
    : value
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

export const maskedDefinition = (redact: Redact, definition: ToolDefinition): VisibleDefinition =>
  withinBounds(definition)
    ? (masked(visibleOf(definition), redact) as VisibleDefinition)
    : tooDeep(redact(definition.name))
