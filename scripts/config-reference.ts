/**
 * Writes the tables of keys in docs/configuration.md, and schema/openclaw.schema.json, from the tables that the decoder itself
 * uses. With `--check` it only says whether both are up to date.
 */
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { SECTIONS } from "../src/schemas/config/AllSections.ts"
import { CONFIG_SCHEMA } from "../src/schemas/config/ConfigSchema.ts"
import { type Notes, notesOf } from "../src/schemas/config/Notes.ts"
import type { Keys } from "../src/schemas/config/ReadKeys.ts"
import { SERVER_KEYS } from "../src/schemas/config/ServerKeys.ts"

const PAGE = new URL("../docs/configuration.md", import.meta.url)

const cell = (text: string) => text.replaceAll("|", "\\|")
interface Row {
  readonly type: string
  readonly fallback: string
  readonly about: string
}

const row = (names: ReadonlyArray<string>, { about, fallback, type }: Row) =>
  `| ${names.map((key) => `\`${key}\``).join(", ")} | ${cell(type)} | ${cell(fallback)} | ${cell(about)} |`

const typeOf = (ast: SchemaAST.AST): string => {
  const { written } = notesOf(ast)
  if (written !== undefined) return written
  if (SchemaAST.isUnion(ast)) {
    return ast.types
      .filter((type) => !SchemaAST.isTemplateLiteral(type))
      .map(typeOf)
      .join(" | ")
  }
  if (SchemaAST.isLiteral(ast)) return JSON.stringify(ast.literal)
  if (SchemaAST.isArrays(ast)) return `${typeOf(ast.rest[0]!)}[]`
  if (SchemaAST.isObjects(ast)) {
    return ast.indexSignatures.length === 0
      ? "object"
      : `{ name: ${ast.indexSignatures.map(({ type }) => typeOf(type)).join()} }`
  }
  return ast._tag.toLowerCase()
}

const fallbackOf = ({ default: value, fallback }: Notes): string => {
  if (value !== undefined) return JSON.stringify(value)
  return fallback ?? "required"
}

/** The objects with keys of their own that a value may be or hold, and how their keys begin. */
const objectsIn = (
  place: string,
  ast: SchemaAST.AST
): ReadonlyArray<readonly [place: string, object: SchemaAST.Objects]> => {
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => objectsIn(place, type))
  if (SchemaAST.isArrays(ast)) return ast.rest.flatMap((type) => objectsIn(`${place}[]`, type))
  if (!SchemaAST.isObjects(ast)) return []
  return [[place, ast], ...ast.indexSignatures.flatMap(({ type }) => objectsIn(`${place}.NAME`, type))]
}

const rowsIn = (place: string, { propertySignatures }: SchemaAST.Objects): ReadonlyArray<string> =>
  propertySignatures.flatMap(({ name, type }) => {
    const { aliases = [], description, ...about } = notesOf(type)
    const names = [name, ...aliases].map((each) => (place === "" ? String(each) : `${place}.${String(each)}`))
    const own = row(names, { type: typeOf(type), fallback: fallbackOf(about), about: String(description) })
    return [own, ...objectsIn(names[0]!, type).flatMap(([inner, object]) => rowsIn(inner, object))]
  })

const rowsOf = (keys: Keys): ReadonlyArray<string> => rowsIn("", Schema.Struct(keys).ast)

const tableOf = (rows: ReadonlyArray<string>) =>
  ["| key | type | default | |", "| --- | --- | --- | --- |", ...rows].join("\n")

/** The page with `table` between the markers of `what`. */
const withTable = (page: string, what: string, table: string): string => {
  const [begin, end] = [`<!-- ${what}: made by scripts/config-reference.ts -->`, `<!-- end of ${what} -->`]
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined)
    throw new Error(`docs/configuration.md has lost its markers: ${what}`)
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}

const page = readFileSync(PAGE, "utf8")
const tables: ReadonlyArray<readonly [what: string, keys: Keys]> = [
  ["server keys", SERVER_KEYS],
  ...Object.values(SECTIONS).map(({ keys, name }) => [`${name} keys`, keys] as const)
]
const fresh = tables.reduce((text, [what, keys]) => withTable(text, what, tableOf(rowsOf(keys))), page)

const SCHEMA = new URL("../schema/openclaw.schema.json", import.meta.url)

const made: ReadonlyArray<readonly [place: URL, text: string]> = [
  [PAGE, fresh],
  [SCHEMA, `${JSON.stringify(CONFIG_SCHEMA, null, 2)}\n`]
]

for (const [place, text] of made) {
  if (!process.argv.includes("--check")) {
    mkdirSync(new URL(".", place), { recursive: true })
    writeFileSync(place, text)
  } else if (!existsSync(place) || readFileSync(place, "utf8") !== text) {
    console.error(`${basename(place.pathname)} does not have what the tables of keys say now: npm run docs`)
    process.exitCode = 1
  }
}
