/** A definition is cleaned once, whatever its tool is called and however many bridges there are. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ResultStoreLayer from "../../../../src/layers/call/ResultStore.ts"
import * as ToolBridgeLayer from "../../../../src/layers/call/ToolBridge.ts"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { Redactor } from "../../../../src/services/content/Redactor.ts"
import { ToolBridge } from "../../../../src/services/call/ToolBridge.ts"
import { sanitizer } from "../../../support/sanitizer.ts"
import { tool } from "../../../support/pins.ts"

const WORDS = "Looks a word up"

/** Counts how often these words are cleaned. */
const counting = () => {
  const cleaned = { count: 0 }
  const layer = Layer.effect(
    ContentSanitizer,
    Effect.map(ContentSanitizer, (real) => ({
      ...real,
      describe: (text: string, maxChars: number) => {
        if (text.includes(WORDS)) cleaned.count++
        return real.describe(text, maxChars)
      }
    }))
  )
  return { cleaned, layer: Layer.provideMerge(layer, sanitizer) }
}

const open = Effect.provide(ToolBridge, Layer.provide(ToolBridgeLayer.layer, ResultStoreLayer.layerNone), {
  local: true
})

describe("ToolBridge: definitions", () => {
  it.effect("are sanitized once for all names and bridges, and again after a new secret", () => {
    const { cleaned, layer } = counting()
    return Effect.gen(function* () {
      const definition = tool("look", `${WORDS}, says sesame-open-42`)
      const bridges = [yield* open, yield* open]
      const descriptions = (server = "fs") =>
        bridges.flatMap((bridge) =>
          ["mcp_fs_look", "mcp_fs_look_2"].map((name) => {
            const { agentTool } = bridge.toAgentTool(name, server, definition)
            assert.strictEqual(agentTool.name, name)
            return agentTool.description
          })
        )
      assert.deepStrictEqual(new Set(descriptions()), new Set([`[MCP server: fs] ${WORDS}, says sesame-open-42`]))
      assert.strictEqual(cleaned.count, 1)
      ;(yield* Redactor).register("sesame-open-42")
      assert.deepStrictEqual(new Set(descriptions()), new Set([`[MCP server: fs] ${WORDS}, says [REDACTED]`]))
      assert.strictEqual(cleaned.count, 2)
      assert.include(descriptions("other")[0], "[MCP server: other]")
    }).pipe(Effect.provide(layer))
  })
})
