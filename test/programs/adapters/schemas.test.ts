/** The adapters for libraries that speak with many providers: whose rules the schemas meet is for the program to say. */
import { assert, describe, it } from "@effect/vitest"
import { asSchema, type Tool as AiSdkTool } from "ai"
import * as Effect from "effect/Effect"
import type { SchemaOptions } from "../../../src/programs/adapters/adapter.ts"
import { toAiSdkTools } from "../../../src/programs/adapters/aiSdk.ts"
import { toEffectToolkit } from "../../../src/programs/adapters/effectToolkit.ts"
import { toLangChainTools } from "../../../src/programs/adapters/langchain.ts"
import { normalizeSchema } from "../../../src/schemas/call/NormalizeSchema.ts"
import { resultOf, tool } from "./tools.ts"

/** A list of two, a way to say `null`, and a choice at the root: no two providers take all of it. */
const parameters = {
  type: "object",
  properties: { pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, none: { const: null } },
  anyOf: [{ required: ["pair"] }, { required: ["none"] }]
}
const { tool: odd } = tool("odd", resultOf([]), { parameters })

/** Takes whatever a class of LangChain takes. */
class Fields {
  readonly schema: unknown
  constructor({ schema }: { readonly schema: unknown }) {
    this.schema = schema
  }
}

const schemas: Readonly<Record<string, (options?: SchemaOptions) => unknown>> = {
  "the AI SDK": (options) => asSchema((toAiSdkTools([odd], options)["odd"] as AiSdkTool).inputSchema).jsonSchema,
  Effect: (options) => Effect.runSync(toEffectToolkit([odd], options)).tools["odd"]?.jsonSchema,
  LangChain: (options) =>
    toLangChainTools([odd], { DynamicStructuredTool: Fields, ToolMessage: Object }, options)[0]?.schema
}

for (const [library, schemaOf] of Object.entries(schemas)) {
  describe(`schemas for ${library}`, () => {
    it("are plain JSON Schema by default", async () => {
      assert.deepStrictEqual(await schemaOf(), normalizeSchema(parameters, "json-schema"))
    })

    for (const provider of ["openai", "gemini"] as const) {
      it(`meet the rules of ${provider} when it is named`, async () => {
        assert.deepStrictEqual(await schemaOf({ provider }), normalizeSchema(parameters, provider))
        assert.notDeepEqual(normalizeSchema(parameters, provider), normalizeSchema(parameters, "json-schema"))
      })
    }
  })
}
