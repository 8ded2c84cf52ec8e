/** Calls a tool within an answer: announces it as an event, reports its progress, and asks the approver. */
import type * as Effect from "effect/Effect"
import type { AgentEvent } from "../../../schemas/agent/AgentEvent.ts"
import type { AgentTool, ToolResult } from "../../../schemas/call/Tool.ts"
import { toolKind } from "../../../schemas/call/ToolKind.ts"
import type { AskedCall, SendOptions } from "../../../services/agent/AgentGateway.ts"
import type { CallOptions as RuntimeCallOptions, McpRuntimeShape } from "../../../services/call/McpRuntime.ts"

type Arguments = Readonly<Record<string, unknown>>

/** `options` are those of another caller that waits for the call. */
export type Calls = (call: AskedCall, args: Arguments, options?: RuntimeCallOptions) => Effect.Effect<ToolResult>

export interface CallOptions extends SendOptions {
  readonly runtime: McpRuntimeShape
  readonly sessionKey: string
  /** For events that may be dropped: progress is not waited for when nobody consumes it. */
  readonly offer: (event: AgentEvent) => unknown
}

export const makeCalls =
  ({ approve, asksAlways, offer, runtime, sessionKey }: CallOptions): Calls =>
  (call, args, options) =>
    runtime.call(call.name, args, {
      ...options,
      onProgress: (progress) => {
        options?.onProgress?.(progress)
        offer({ _tag: "ToolProgress", ...call, progress })
      },
      ...(asksAlways?.() === true ? { askAlways: true } : {}),
      ...(approve === undefined
        ? {}
        : {
            approver: {
              session: sessionKey,
              approve: (question, signal) => approve(question, call, signal)
            }
          })
    })

export const toolCall = (id: string, name: string, args: Arguments, tool: AgentTool | undefined): AgentEvent => ({
  _tag: "ToolCall",
  id,
  name,
  args,
  ...(tool === undefined ? {} : { title: tool.label, kind: toolKind(tool) })
})
