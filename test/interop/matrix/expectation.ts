/** The shape of an expectation, and what several of them are made of. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { ToolResult } from "../../../src/schemas/call/Tool.ts"
import type { HostFeatures } from "../../../src/services/content/HostFeatures.ts"
import type { McpRuntime } from "../../../src/services/call/McpRuntime.ts"
import { call, callOf, tagOf, textOf, type Cell } from "./cell.ts"
import type { Call } from "./peers.ts"

export type Expectation = (cell: Cell) => Effect.Effect<void, unknown, McpRuntime | HostFeatures | Scope>
export type Expectations = Readonly<Record<string, Expectation>>

/** A tool that the peer has not is unknown: nothing is sent. */
export const isUnknown = (tool: string) =>
  Effect.map(call(tool), (result) => {
    assert.isTrue(result.isError)
    assert.strictEqual(tagOf(result), "ToolNotFound")
  })

/** The expectation of a tool, or of its absence. */
export const offered = (tool: Call | undefined, inItsPlace: string, body: (result: ToolResult) => void) =>
  tool === undefined ? isUnknown(inItsPlace) : Effect.map(callOf(tool), body)

/** The text, which is between boundaries, once. */
export const wrapped = (content: ToolResult["content"]) => {
  const text = textOf(content)
  assert.lengthOf(text.match(/<<<EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>/g) ?? [], 1, text)
  assert.lengthOf(text.match(/<<<END_EXTERNAL_UNTRUSTED_CONTENT id="[0-9a-f]{16}">>>/g) ?? [], 1, text)
  return text
}
