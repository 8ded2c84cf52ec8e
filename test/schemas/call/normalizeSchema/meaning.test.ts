import { assert, describe, it } from "@effect/vitest"
import { normalizeSchema } from "../../../../src/schemas/call/NormalizeSchema.ts"
import { objectionsBy, PROVIDERS } from "../../../support/schemaCorpus.ts"
import { sensibleSchema } from "../../../support/sensibleSchema.ts"

const SEEDS = 250

const hasListInList = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (Array.isArray(value)
    ? value.some((item) => Array.isArray(item) || hasListInList(item))
    : Object.values(value).some(hasListInList))

describe("normalizing a schema does not make it stricter", () => {
  for (const provider of PROVIDERS) {
    it(`what a schema accepts, it also accepts for ${provider}`, () => {
      let taken = 0
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { schema, values } = sensibleSchema(seed)
        const [before, after] = [schema, normalizeSchema(schema, provider)].map(objectionsBy)
        // Gemini has no word for a list of anything.
        const judged = provider === "gemini" ? values.filter((value) => !hasListInList(value)) : values
        for (const value of judged.filter((candidate) => before!(candidate) === undefined)) {
          taken++
          assert.isUndefined(after!(value), `seed ${seed}: ${JSON.stringify(value)}`)
        }
      }
      assert.isAtLeast(taken, SEEDS)
    })
  }
})
