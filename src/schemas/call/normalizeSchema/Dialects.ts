/**
 * What each provider takes of JSON Schema, by its documentation and by what its API is known to answer; docs/schemas.md
 * tells it to users. Where a provider is known to take a keyword only sometimes, it is left out here: a keyword costs a
 * sentence in a description, a refused schema costs every tool of the request.
 */
import type { Bound } from "./Schema.ts"
import { BOUND_NAMES } from "./Schema.ts"

/** Whose rules a schema is brought within; `json-schema` for a model that takes any JSON Schema. */
export type Provider = "openai" | "anthropic" | "gemini" | "json-schema"

export type Keyword =
  | Bound
  | "title"
  | "default"
  | "examples"
  | "pattern"
  | "uniqueItems"
  | "prefixItems"
  | "additional"

export interface Dialect {
  /** Objects and arrays within each other, the root included, that are spelled out. */
  readonly maxLevels: number
  readonly keywords: ReadonlySet<Keyword>
  /** By the type of the value. */
  readonly formats: Readonly<Record<"string" | "number" | "integer", ReadonlySet<string>>>
  /** One type per node, `nullable` instead of null, choices of strings only, and `anyOf` beside nothing else. */
  readonly isOpenApi: boolean
  /** Names of properties. */
  readonly names: RegExp | undefined
}

const formats = (
  string: ReadonlyArray<string>,
  number: ReadonlyArray<string> = [],
  integer: ReadonlyArray<string> = []
): Dialect["formats"] => ({ string: new Set(string), number: new Set(number), integer: new Set(integer) })

/** Structured Outputs › Supported properties. */
const COMMON_FORMATS = ["date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]

/** Validation › Defined Formats. */
const ALL_FORMATS = [
  ...COMMON_FORMATS,
  "idn-email",
  "idn-hostname",
  "uri",
  "uri-reference",
  "uri-template",
  "iri",
  "iri-reference",
  "json-pointer",
  "relative-json-pointer",
  "regex"
]

const ALL_KEYWORDS: ReadonlyArray<Keyword> = [
  ...BOUND_NAMES,
  "title",
  "default",
  "examples",
  "pattern",
  "uniqueItems",
  "prefixItems",
  "additional"
]

const JSON_SCHEMA: Dialect = {
  maxLevels: 16,
  keywords: new Set(ALL_KEYWORDS),
  formats: formats(ALL_FORMATS),
  isOpenApi: false,
  names: undefined
}

export const DIALECTS: Readonly<Record<Provider, Dialect>> = {
  "json-schema": JSON_SCHEMA,
  anthropic: { ...JSON_SCHEMA, names: /^[a-zA-Z0-9_.-]{1,64}$/ },
  openai: {
    ...JSON_SCHEMA,
    maxLevels: 9,
    keywords: new Set(ALL_KEYWORDS.filter((keyword) => keyword !== "prefixItems" && keyword !== "examples")),
    formats: formats(COMMON_FORMATS)
  },
  gemini: {
    maxLevels: 8,
    keywords: new Set(),
    formats: formats(["date-time"], ["float", "double"], ["int32", "int64"]),
    isOpenApi: true,
    names: undefined
  }
}
