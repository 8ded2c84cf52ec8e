/**
 * Guards the results of servers that somebody else runs, with the same `ToolBridge` as our own. Nothing of them is kept,
 * because the caller has no tool to read more.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { shapeOf } from "../../schemas/call/ArgumentShape.ts"
import { shortened } from "../../schemas/content/Boundaries.ts"
import { OPENCLAW_RESULT_MAX_CHARS, OPENCLAW_WRAP_CHARS } from "../../schemas/defaults/OpenClaw.ts"
import { RESULT_MAX_BLOCKS } from "../../schemas/defaults/Results.ts"
import { withinBounds } from "../../schemas/data/Json.ts"
import type { ToolResult } from "../../schemas/call/Tool.ts"
import { AuditLog } from "../../services/call/AuditLog.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { NativeResults, type NativeCall } from "../../services/agent/NativeResults.ts"
import { ToolBridge } from "../../services/call/ToolBridge.ts"

export interface Options {
  /** The maximum characters of text in a result, including boundaries. */
  readonly maxChars?: number | undefined
}

const findingsOf = ({ details }: ToolResult) => details.findings ?? []

const charsOf = ({ content }: ToolResult) =>
  content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0)

const make = Effect.fnUntraced(function* ({ maxChars = OPENCLAW_RESULT_MAX_CHARS }: Options) {
  const bridge = yield* ToolBridge
  const audit = yield* AuditLog
  const { label } = yield* ContentSanitizer
  const budget = { bytes: Math.max(1, maxChars - OPENCLAW_WRAP_CHARS), blocks: RESULT_MAX_BLOCKS }

  const record = (call: NativeCall, outcome: string, result?: ToolResult) =>
    Effect.suspend(() =>
      audit.record({
        agent: call.agent,
        server: call.server,
        tool: call.tool,
        callId: call.callId,
        shape: () => (withinBounds(call.args) ? shapeOf(call.args, label) : "too deep"),
        durationMs: call.durationMs,
        outcome,
        resultChars: result === undefined ? 0 : charsOf(result),
        findings: result === undefined ? [] : findingsOf(result)
      })
    )

  return NativeResults.of({
    guard: Effect.fn("NativeResults.guard")(function* (call, content) {
      const { isError, server, tool } = call
      const shaped = yield* Effect.sync(() => bridge.toResult({ content, isError }, { server, tool }, budget)).pipe(
        Effect.catchDefect(() => Effect.succeed(bridge.toDefectResult(tool)))
      )
      const result: ToolResult = {
        ...shaped,
        content: shaped.content.map((block) =>
          block.type === "text" ? { ...block, text: shortened(block.text, maxChars) } : block
        )
      }
      yield* record(call, result.isError ? "isError" : "ok", result)
      return result
    }),
    failed: (call) => record(call, "isError")
  })
})

export const layer = (
  options: Options = {}
): Layer.Layer<NativeResults, never, ToolBridge | AuditLog | ContentSanitizer> =>
  Layer.effect(NativeResults, make(options))
