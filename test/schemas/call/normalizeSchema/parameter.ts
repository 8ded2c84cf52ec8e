/** Short ways to say what becomes of a schema. */
import { normalizeSchema, type Provider } from "../../../../src/schemas/call/NormalizeSchema.ts"
import { PROVIDERS } from "../../../support/schemaCorpus.ts"

export const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more
})

/** What becomes of one parameter. */
export const parameter = (
  schema: unknown,
  provider: Provider = "json-schema",
  around: Record<string, unknown> = {}
): unknown => (normalizeSchema(object({ a: schema }, around), provider)["properties"] as Record<string, unknown>)["a"]

export const inEach = (schema: unknown, around?: Record<string, unknown>) =>
  Object.fromEntries(PROVIDERS.map((provider) => [provider, parameter(schema, provider, around)]))
