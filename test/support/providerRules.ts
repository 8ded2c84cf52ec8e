/**
 * What providers refuse in the schema of a tool's parameters, as rules of their own: written from their documentation and
 * from the answers their APIs give, not from our code. Each function lists what it finds, by path; nothing is a pass.
 *
 * - OpenAI, function calling without `strict`: Structured Outputs › Supported schemas, and its answers "schema must have
 *   type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level", "object schema missing
 *   properties", "array schema missing items", "is not a 'regex'", "regex lookaround is not supported", "has non-unique
 *   elements", "is not of type 'object', 'boolean'".
 * - Anthropic: "JSON schema is invalid. It must match JSON Schema draft 2020-12", "input_schema does not support oneOf,
 *   allOf, or anyOf at the top level", "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'".
 * - Gemini, `parameters` of a FunctionDeclaration, on both its APIs: the fields of its Schema message, "Unknown name",
 *   "Proto field is not repeating", "didn't specify the schema type field", "When using any_of, it must be the only field
 *   set", "enum: only allowed for STRING type", "enum[0]: cannot be empty", "only 'enum' and 'date-time' are supported for
 *   STRING type", "items: missing field", "only allowed for OBJECT type", "property is not defined", "should be non-empty
 *   for OBJECT type", "exceeds the maximum allowed nesting depth".
 */

type Node = Readonly<Record<string, unknown>>
type Rule = (node: Node, path: string, isRoot: boolean) => ReadonlyArray<string>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0
const isText = (value: unknown) => typeof value === "string"
const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value)
const areUnique = (list: ReadonlyArray<unknown>) =>
  new Set(list.map((item) => JSON.stringify(item))).size === list.length

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"])
const typesOf = ({ type }: Node): ReadonlyArray<unknown> => (isList(type) ? type : type === undefined ? [] : [type])

/** The schemas directly inside a node, with their paths. */
const inside = (node: Node, path: string): ReadonlyArray<readonly [unknown, string]> => [
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"].flatMap((keyword) => {
    const members = node[keyword]
    return isNode(members)
      ? Object.entries(members).map(([name, child]) => [child, `${path}.${keyword}[${name}]`] as const)
      : []
  }),
  ...["anyOf", "oneOf", "allOf", "prefixItems", "items"].flatMap((keyword) => {
    const list = node[keyword]
    return isList(list) ? list.map((child, i) => [child, `${path}.${keyword}[${i}]`] as const) : []
  }),
  ...["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"].flatMap((keyword) =>
    node[keyword] === undefined || isList(node[keyword]) ? [] : [[node[keyword], `${path}.${keyword}`] as const]
  )
]

const walk = (schema: unknown, rules: ReadonlyArray<Rule>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: unknown, path: string, isRoot: boolean) => {
    if (typeof node === "boolean" && !isRoot) return
    if (!isNode(node)) {
      found.push(`${path}: is not a schema`)
      return
    }
    for (const rule of rules) found.push(...rule(node, path, isRoot))
    for (const [child, place] of inside(node, path)) visit(child, place, false)
  }
  visit(schema, "$", true)
  return found
}

/** Nodes with something inside them, along the longest way down. */
const nesting = (node: unknown): number => {
  if (!isNode(node)) return 0
  const below = Math.max(0, ...inside(node, "").map(([child]) => nesting(child)))
  const isContainer = isNode(node["items"]) || Object.keys(node["properties"] ?? {}).length > 0
  return below + (isContainer ? 1 : 0)
}

// ---- draft 2020-12 -----------------------------------------------------------------------------------------------------

const VALUES: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) =>
    isList(value)
      ? value.length > 0 && areUnique(value) && value.every((type) => TYPES.has(type as string))
      : TYPES.has(value as string),
  enum: (value) => isList(value) && value.length > 0 && areUnique(value),
  required: (value) => isList(value) && value.every(isText) && areUnique(value),
  properties: isNode,
  patternProperties: isNode,
  anyOf: (value) => isList(value) && value.length > 0,
  oneOf: (value) => isList(value) && value.length > 0,
  allOf: (value) => isList(value) && value.length > 0,
  prefixItems: (value) => isList(value) && value.length > 0,
  items: (value) => isNode(value) || typeof value === "boolean",
  additionalProperties: (value) => isNode(value) || typeof value === "boolean",
  title: isText,
  description: isText,
  format: isText,
  pattern: isText,
  examples: isList,
  uniqueItems: (value) => typeof value === "boolean",
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount
}

const draft202012: Rule = (node, path) =>
  Object.entries(node).flatMap(([keyword, value]) => {
    const fits = Object.hasOwn(VALUES, keyword) ? VALUES[keyword] : undefined
    return fits === undefined || fits(value) ? [] : [`${path}.${keyword}: is not valid in draft 2020-12`]
  })

/** A reference is only as good as what it finds; providers resolve none, or recurse. */
const selfContained: Rule = (node, path) =>
  ["$ref", "$dynamicRef", "$recursiveRef", "$id", "$schema", "$defs", "definitions"]
    .filter((keyword) => Object.hasOwn(node, keyword))
    .map((keyword) => `${path}: ${keyword}`)

const objectRoot: Rule = (node, path, isRoot) =>
  isRoot && (node["type"] !== "object" || !isNode(node["properties"]))
    ? [`${path}: is not an object with properties`]
    : []

const notAtRoot =
  (...keywords: ReadonlyArray<string>): Rule =>
  (node, path, isRoot) =>
    isRoot ? keywords.filter((keyword) => Object.hasOwn(node, keyword)).map((keyword) => `${path}: ${keyword}`) : []

const arraysHaveItems: Rule = (node, path) =>
  typesOf(node).includes("array") && !isNode(node["items"]) ? [`${path}: array schema missing items`] : []

const onlyKeywords =
  (...keywords: ReadonlyArray<string>): Rule =>
  (node, path) =>
    Object.keys(node)
      .filter((keyword) => !keywords.includes(keyword))
      .map((keyword) => `${path}: unknown name "${keyword}"`)

/** Python's re and RE2 both have to read it. */
const portablePatterns: Rule = (node, path) => {
  const { pattern } = node
  if (typeof pattern !== "string") return []
  const bare = pattern.replace(/\\\\/g, "")
  const isRefused =
    /\(\?(?!:)/.test(bare) ||
    /\\[^dDwWsSbnrtfx^$\\.*+?()[\]{}|/-]/.test(bare) ||
    /[*+?}]\+/.test(bare) ||
    /\[\[/.test(bare)
  try {
    void new RegExp(pattern, "u")
    return isRefused ? [`${path}: pattern is not a 'regex' everywhere`] : []
  } catch {
    return [`${path}: pattern is not a 'regex'`]
  }
}

const nestedAtMost =
  (levels: number): Rule =>
  (node, path, isRoot) =>
    isRoot && nesting(node) > levels ? [`${path}: exceeds the maximum allowed nesting depth`] : []

const ANNOTATIONS = ["title", "description", "default", "examples"]
const ASSERTIONS = Object.keys(VALUES).filter(
  (keyword) => !["oneOf", "allOf", "prefixItems", "patternProperties", ...ANNOTATIONS].includes(keyword)
)

// ---- providers ---------------------------------------------------------------------------------------------------------

const OPENAI_FORMATS = new Set("date-time time date duration email hostname ipv4 ipv6 uuid".split(" "))

const openaiFormats: Rule = ({ format }, path) =>
  format === undefined || OPENAI_FORMATS.has(format as string)
    ? []
    : [`${path}: '${String(format)}' is not a valid format`]

const objectsHaveProperties: Rule = (node, path) =>
  typesOf(node).includes("object") && node["enum"] === undefined && !isNode(node["properties"])
    ? [`${path}: object schema missing properties`]
    : []

export const openaiViolations = (schema: unknown): ReadonlyArray<string> =>
  walk(schema, [
    draft202012,
    selfContained,
    objectRoot,
    notAtRoot("oneOf", "anyOf", "allOf", "enum", "const", "not"),
    onlyKeywords(...ASSERTIONS, "title", "description", "default"),
    objectsHaveProperties,
    arraysHaveItems,
    portablePatterns,
    openaiFormats,
    nestedAtMost(10)
  ])

const ANTHROPIC_KEY = /^[a-zA-Z0-9_.-]{1,64}$/

const anthropicKeys: Rule = ({ properties }, path) =>
  Object.keys(isNode(properties) ? properties : {})
    .filter((name) => !ANTHROPIC_KEY.test(name))
    .map((name) => `${path}.properties: '${name}' should match pattern`)

export const anthropicViolations = (schema: unknown): ReadonlyArray<string> =>
  walk(schema, [
    draft202012,
    selfContained,
    objectRoot,
    notAtRoot("oneOf", "anyOf", "allOf"),
    anthropicKeys,
    arraysHaveItems,
    portablePatterns
  ])

const GEMINI_FIELDS = [
  "type format title description nullable enum items minItems maxItems properties required minProperties maxProperties",
  "minimum maximum minLength maxLength pattern example anyOf propertyOrdering default"
]
  .join(" ")
  .split(" ")

const GEMINI_FORMATS: Readonly<Record<string, ReadonlyArray<string>>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"]
}

const geminiTypes: Rule = (node, path) => {
  const { type } = node
  if (node["anyOf"] !== undefined) {
    return Object.keys(node).length === 1 ? [] : [`${path}: when using any_of, it must be the only field set`]
  }
  if (type === undefined) return [`${path}: didn't specify the schema type field`]
  return isText(type) && TYPES.has(type as string) && type !== "null" ? [] : [`${path}.type: invalid value`]
}

const geminiFields: Rule = (node, path) => {
  const { enum: choices, format, properties, required, type } = node
  const says = (isWrong: boolean, what: string) => (isWrong ? [`${path}.${what}`] : [])
  const names = isNode(properties) ? Object.keys(properties) : []
  return [
    ...says(choices !== undefined && type !== "string", "enum: only allowed for STRING type"),
    ...says(isList(choices) && !choices.every((choice) => isText(choice) && choice !== ""), "enum: cannot be empty"),
    ...says(
      format !== undefined && !GEMINI_FORMATS[type as string]?.includes(format as string),
      "format: is not supported"
    ),
    ...says(node["items"] !== undefined && type !== "array", "items: only allowed for ARRAY type"),
    ...says(
      (properties !== undefined || required !== undefined) && type !== "object",
      "properties: only allowed for OBJECT type"
    ),
    ...says(
      isList(required) && !required.every((name) => names.includes(name as string)),
      "required: property is not defined"
    ),
    ...says(node["nullable"] !== undefined && typeof node["nullable"] !== "boolean", "nullable: invalid value")
  ]
}

/** Of the root of a tool without parameters, whoever declares the function leaves `parameters` out. */
const geminiProperties: Rule = ({ properties }, path, isRoot) =>
  !isRoot && isNode(properties) && Object.keys(properties).length === 0
    ? [`${path}.properties: should be non-empty for OBJECT type`]
    : []

/** More than this in one declaration is refused without a reason. */
const GEMINI_MAX_ITEMS_SUM = 900

const sumOfMaxItems = (node: unknown): number =>
  isNode(node)
    ? Number(node["maxItems"] ?? 0) + inside(node, "").reduce((sum, [child]) => sum + sumOfMaxItems(child), 0)
    : 0

const geminiBudget: Rule = (node, path, isRoot) =>
  isRoot && sumOfMaxItems(node) > GEMINI_MAX_ITEMS_SUM ? [`${path}: INVALID_ARGUMENT`] : []

export const geminiViolations = (schema: unknown): ReadonlyArray<string> =>
  walk(schema, [
    draft202012,
    objectRoot,
    onlyKeywords(...GEMINI_FIELDS),
    geminiTypes,
    geminiFields,
    geminiProperties,
    arraysHaveItems,
    portablePatterns,
    geminiBudget,
    nestedAtMost(10)
  ])

/** For readers of any draft since 7, and for providers that nobody has rules of. */
export const jsonSchemaViolations = (schema: unknown): ReadonlyArray<string> =>
  walk(schema, [
    draft202012,
    selfContained,
    objectRoot,
    notAtRoot("oneOf", "anyOf", "allOf", "enum", "const", "not"),
    onlyKeywords(...ASSERTIONS, ...ANNOTATIONS, "prefixItems"),
    arraysHaveItems,
    portablePatterns
  ])

export const violations = {
  openai: openaiViolations,
  anthropic: anthropicViolations,
  gemini: geminiViolations,
  "json-schema": jsonSchemaViolations
}
