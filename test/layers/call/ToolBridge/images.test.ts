import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ResultStoreLayer from "../../../../src/layers/call/ResultStore.ts"
import * as ToolBridgeLayer from "../../../../src/layers/call/ToolBridge.ts"
import { DEFAULT_CONTENT_POLICY } from "../../../../src/schemas/content/ContentPolicy.ts"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { ToolBridge } from "../../../../src/services/call/ToolBridge.ts"
import { sanitizer } from "../../../support/sanitizer.ts"

const SECRET = "sesame-open-42-canary"
const ORIGIN = { server: "fs", tool: "shot", content: DEFAULT_CONTENT_POLICY }
const BUDGET = { bytes: 100_000, blocks: 10 }

const image = (data: string) => ({ content: [{ type: "image", data, mimeType: "image/png" }] })

describe("ToolBridge: images", () => {
  it.effect("are checked for known secrets, and not sanitized as text", () => {
    const cleaned: Array<string> = []
    const counting = Layer.effect(
      ContentSanitizer,
      Effect.map(ContentSanitizer, (real) => ({
        ...real,
        clean: (text: string) => {
          cleaned.push(text)
          return real.clean(text)
        }
      }))
    )
    return Effect.gen(function* () {
      const redactor = yield* Redactor
      redactor.register(SECRET)
      const bridge = yield* ToolBridge
      const harmless = Buffer.alloc(300_000, "picture").toString("base64")
      const shown = bridge.toResult(image(harmless), ORIGIN, BUDGET)
      assert.include(JSON.stringify(shown.content), harmless)
      assert.notInclude(cleaned, harmless)
      const telling = Buffer.from(`${"x".repeat(3000)}${SECRET}`).toString("base64")
      const refused = bridge.toResult(image(telling), ORIGIN, BUDGET)
      assert.notInclude(JSON.stringify(refused.content), telling)
      assert.include(JSON.stringify(refused.content), "a known secret")
    }).pipe(
      Effect.provide(
        Layer.provide(ToolBridgeLayer.layer, ResultStoreLayer.layerNone).pipe(
          Layer.provideMerge(Layer.provideMerge(counting, sanitizer))
        )
      )
    )
  })
})
