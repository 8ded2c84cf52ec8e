/** Builds the JSON Schema of configuration keys from the same annotated schemas that decode them. */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type Notes, notesOf } from "./Notes.ts"
import type { Keys } from "./ReadKeys.ts"

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** `[words](page.md)` is a broken link in an editor. */
const withoutLinks = (text: string): string => text.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")

const UNITS: ReadonlySet<string> = new Set(["milliseconds", "bytes"])

const docsOf = ({ default: value, description, fallback, written = "" }: Notes): JsonSchema => {
  if (description === undefined) return {}
  const unit = UNITS.has(written) ? `${written}: ` : ""
  const inWords = value !== undefined || !fallback ? "" : ` (default: ${fallback})`
  return { description: withoutLinks(unit + description + inWords), ...(value !== undefined && { default: value }) }
}

const holdsParts = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isObjects(ast) || SchemaAST.isArrays(ast) || (SchemaAST.isUnion(ast) && ast.types.some(holdsParts))

/** The constraints of a value's parts; the library describes the rest. */
const partsOf = (ast: SchemaAST.AST): JsonSchema => {
  if (ast.encoding !== undefined || !holdsParts(ast)) return {}
  if (SchemaAST.isUnion(ast)) return { anyOf: ast.types.map(jsonOf) }
  if (SchemaAST.isArrays(ast)) return { items: jsonOf(ast.rest[0]!) }
  if (!SchemaAST.isObjects(ast)) return {}
  const [named] = ast.indexSignatures
  const properties = ast.propertySignatures.flatMap(({ name, type }) => propertiesOf(String(name), type))
  return {
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    additionalProperties: named === undefined ? false : jsonOf(named.type)
  }
}

const propertiesOf = (name: string, type: SchemaAST.AST): ReadonlyArray<readonly [string, JsonSchema]> => {
  const { aliases = [] } = notesOf(type)
  const json = jsonOf(type)
  // Without the default: `disabled` is the opposite of `enabled`.
  const { default: _, ...alias }: JsonSchema = {
    ...json,
    description: `see \`${name}\`: ${String(json["description"])}`
  }
  return [[name, json], ...aliases.map((other) => [other, alias] as const)]
}

const jsonOf = (type: SchemaAST.AST): JsonSchema => {
  const said = notesOf(type)
  const ast = said.withoutDefault ?? type
  const { schema } = Schema.toJsonSchemaDocument(Schema.make(ast), { onExcessProperty: "error" })
  return { ...schema, ...partsOf(ast), ...docsOf(said) }
}

/** An object that may have these keys. */
export const objectOf = (keys: Keys): JsonSchema => jsonOf(Schema.Struct(keys).ast)

export const valueOf = (schema: Keys[string]): JsonSchema => jsonOf(schema.ast)
