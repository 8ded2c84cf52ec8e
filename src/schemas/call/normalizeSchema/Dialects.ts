/**
 * What each provider accepts of JSON Schema, by its documentation and by the known behavior of its API; docs/schemas.md
 * describes it for users. A keyword that is only sometimes accepted is left out: losing a keyword costs a sentence in a
 * description, a refused schema costs every tool of the request.
 */
import type { Bound } from "./Schema.ts"
import { BOUND_NAMES } from "./Schema.ts"

/** The provider whose rules a schema must follow; `json-schema` for models that accept any JSON Schema. */
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
  /** The maximum nesting of objects and arrays, including the root. */
  readonly maxLevels: number
  readonly keywords: ReadonlySet<Keyword>
  /** By the type of the value. */
  readonly formats: Readonly<Record<"string" | "number" | "integer", ReadonlySet<string>>>
  /** One type per node, `nullable` instead of null, string choices only, and `anyOf` without siblings. */
  readonly isOpenApi: boolean
  /** The pattern for names of properties. */
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
