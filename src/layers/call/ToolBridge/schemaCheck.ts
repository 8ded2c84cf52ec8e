/**
 * Checks a value against a JSON Schema that comes from a server. Nothing of the schema is executed: no code is generated from
 * it, and patterns and formats are not evaluated, because a regular expression can run for ever. References resolve only
 * within the document. Work and nesting are limited for every schema and value.
 */
import { SCHEMA_CHECK_MAX_DEPTH, SCHEMA_CHECK_MAX_STEPS } from "../../../schemas/defaults/Definitions.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { makeResolve } from "../../../schemas/call/normalizeSchema/References.ts"
import { INNER_KEYWORDS } from "./schemaCheck/Inside.ts"
import {
  FITS,
  fits,
  MISMATCH,
  OPEN,
  spend,
  type Keyword,
  type Look,
  type Making,
  type Node,
  type Rule,
  type Verdict
} from "./schemaCheck/Look.ts"
import { VALUE_KEYWORDS } from "./schemaCheck/Values.ts"

export type SchemaCheck =
  | { readonly _tag: "Fits" }
  /** The first place that does not fit: names that the schema declares, list indexes, and `undefined` for any other name. */
  | {
      readonly _tag: "Mismatch"
      readonly keyword: string
      readonly path: ReadonlyArray<string | number | undefined>
    }
  /** The check would take too much work. */
  | { readonly _tag: "GaveUp" }

const KEYWORDS: Readonly<Record<string, Keyword>> = { ...VALUE_KEYWORDS, ...INNER_KEYWORDS }

/** These restrict a value but are not evaluated. Other unknown keywords are only descriptive. */
const LEFT_OPEN: ReadonlySet<string> = new Set([
  "pattern",
  "format",
  "patternProperties",
  "propertyNames",
  "contains",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "unevaluatedItems",
  "unevaluatedProperties",
  "$dynamicRef",
  "$recursiveRef"
])

const OPEN_RULE: Rule = () => OPEN

/** In these drafts a `$ref` overrides everything beside it. */
const ALONE = /\/draft-0[3-7]\//

const NAMES = Object.keys(KEYWORDS)

/** Makes the check for one schema. It reads the schema lazily and caches what it has read. */
export const makeSchemaCheck = (root: unknown): ((value: unknown) => SchemaCheck) => {
  const nodes = new Map<unknown, Node>()
  const resolve = makeResolve(root)
  const dialect = isObject(root) ? root["$schema"] : undefined
  const isRefAlone = typeof dialect === "string" && ALONE.test(dialect)

  const nodeOf = (schema: unknown): Node => {
    const known = nodes.get(schema)
    if (known !== undefined) return known
    const node: Node = { schema, rules: undefined }
    nodes.set(schema, node)
    return node
  }

  const rulesOf = (schema: Record<string, unknown>): NonNullable<Node["rules"]> => {
    const making: Making = { siblings: schema, nodeOf, resolve, check }
    const given =
      isRefAlone && Object.hasOwn(schema, "$ref") ? ["$ref"] : NAMES.filter((name) => Object.hasOwn(schema, name))
    const rules = given.map((name) => [name, KEYWORDS[name]!(schema[name], making) ?? OPEN_RULE] as const)
    const isOpen = Object.keys(schema).some((name) => LEFT_OPEN.has(name))
    return isOpen ? [...rules, ["", OPEN_RULE]] : rules
  }

  const check = (node: Node, value: unknown, look: Look): Verdict => {
    const { schema } = node
    if (typeof schema === "boolean") return fits(schema)
    if (!isObject(schema)) return OPEN
    const rules = (node.rules ??= rulesOf(schema))
    if (!spend(look, 1 + rules.length)) return OPEN
    if (look.depth >= SCHEMA_CHECK_MAX_DEPTH) {
      look.gaveUp = true
      return OPEN
    }
    look.depth++
    let verdict: Verdict = FITS
    for (const [keyword, rule] of rules) {
      const found = rule(value, look)
      if (found === MISMATCH) {
        look.keyword ??= keyword
        verdict = MISMATCH
        break
      }
      if (found === OPEN) verdict = OPEN
      if (look.gaveUp) break
    }
    look.depth--
    return verdict
  }

  return (value) => {
    const look: Look = { steps: SCHEMA_CHECK_MAX_STEPS, depth: 0, gaveUp: false, keyword: undefined, path: [] }
    const verdict = check(nodeOf(root), value, look)
    if (verdict === MISMATCH) return { _tag: "Mismatch", keyword: look.keyword ?? "", path: look.path.toReversed() }
    return look.gaveUp ? GAVE_UP : FITTING
  }
}

const FITTING: SchemaCheck = { _tag: "Fits" }
const GAVE_UP: SchemaCheck = { _tag: "GaveUp" }
