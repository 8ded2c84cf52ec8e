/** Makes the results of a gateway's own MCP servers safe to show to a model, and records that they were called. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ToolResult } from "../../schemas/call/Tool.ts"

export interface NativeCall {
  readonly agent: string
  readonly server: string
  /** The server's own name. */
  readonly tool: string
  readonly callId: string
  readonly args: unknown
  readonly durationMs: number
  readonly isError: boolean
}

export class NativeResults extends Context.Service<
  NativeResults,
  {
    /**
     * The blocks of a result as a model may see them: cleaned, known secrets masked, each between its own boundaries, within
     * a budget. Valid images pass unchanged. What does not fit is cut, with a note. Never fails, whatever the blocks are.
     */
    readonly guard: (call: NativeCall, content: ReadonlyArray<unknown>) => Effect.Effect<ToolResult>
    /** A call that failed before there was a result. */
    readonly failed: (call: NativeCall) => Effect.Effect<void>
  }
>()("mcp-live/services/NativeResults") {}
