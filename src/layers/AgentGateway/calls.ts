/** How a tool is called in an answer: as the event that tells of it, with its progress, and with somebody to ask. */
import type * as Effect from "effect/Effect"
import type { AgentEvent } from "../../schemas/AgentEvent.ts"
import type { AgentTool, ToolResult } from "../../schemas/Tool.ts"
import { toolKind } from "../../schemas/ToolKind.ts"
import type { AskedCall, SendOptions } from "../../services/AgentGateway.ts"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"

type Arguments = Readonly<Record<string, unknown>>

export type Calls = (call: AskedCall, args: Arguments) => Effect.Effect<ToolResult>

export interface CallOptions extends SendOptions {
  readonly runtime: McpRuntimeShape
  readonly sessionKey: string
  /** For what may be lost: where nobody takes progress, it is not waited for. */
  readonly offer: (event: AgentEvent) => unknown
}

export const makeCalls =
  ({ approve, offer, runtime, sessionKey }: CallOptions): Calls =>
  (call, args) =>
    runtime.call(call.name, args, {
      onProgress: (progress) => void offer({ _tag: "ToolProgress", ...call, progress }),
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
