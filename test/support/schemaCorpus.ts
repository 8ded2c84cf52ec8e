/** The schemas in `fixtures/schemas`: what generators write and what servers publish, and some that nobody should send. */
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv"
import { readdirSync, readFileSync } from "node:fs"
import type { Provider } from "../../src/schemas/call/NormalizeSchema.ts"

export const PROVIDERS: ReadonlyArray<Provider> = ["openai", "anthropic", "gemini", "json-schema"]

export interface Sample {
  readonly name: string
  readonly about: string
  readonly schema: unknown
  /** Arguments that its author would call right. */
  readonly accepts: ReadonlyArray<unknown>
  /** Whether a validator of 2020-12 or draft-07 agrees with the author. */
  readonly judged?: false
}

const folder = new URL("../fixtures/schemas/", import.meta.url)

export const corpus: ReadonlyArray<Sample> = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .toSorted()
  .map((file) => ({
    name: file.replace(/\.json$/, ""),
    ...(JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Omit<Sample, "name">)
  }))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** OpenAPI's `nullable`, in the words of JSON Schema. */
const withNull = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withNull)
  if (!isObject(schema)) return schema
  const { nullable, ...rest } = Object.fromEntries(Object.entries(schema).map(([key, child]) => [key, withNull(child)]))
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : rest
}

/** What a validator of this schema has against a value; nothing when it is valid. To make one takes most of the time. */
export const objectionsBy = (schema: unknown): ((value: unknown) => string | undefined) => {
  const validate = new AjvJsonSchemaValidator().getValidator(withNull(schema) as Record<string, unknown>)
  return (value) => {
    const verdict = validate(value)
    return verdict.valid ? undefined : verdict.errorMessage
  }
}
