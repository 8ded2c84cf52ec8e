/** What a gateway uses for one agent: its tools, and the call that never fails. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ServerStatus } from "../schemas/ServerState.ts"
import type { AgentTool, Progress, ToolResult } from "../schemas/Tool.ts"

export interface CallOptions {
  /** Milliseconds of silence before the call is cancelled, instead of the server's `toolTimeout`. */
  readonly timeoutMs?: number | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

export interface McpRuntimeShape {
  readonly agent: string
  /**
   * The tools that this agent may use now, in a stable order. The first time, lazy servers whose tools nobody has seen yet
   * are woken, and servers that are on their way up are waited for, all together no longer than two seconds; what comes
   * later arrives through `changes`.
   */
  readonly tools: Effect.Effect<ReadonlyArray<AgentTool>>
  /**
   * Calls a tool by its exposed name. Never fails: every error is a result with `isError: true` (DESIGN, "How a call
   * walks"). Interruption cancels the call at the server.
   */
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: CallOptions
  ) => Effect.Effect<ToolResult>
  readonly status: Effect.Effect<Readonly<Record<string, ServerStatus>>>
  /** Emits once per server at the start, so that nothing is missed, and whenever `tools` or `status` may have changed. */
  readonly changes: Stream.Stream<void>
  /** Returns when no server is on its way up any more. Wakes none: a lazy server stays asleep. */
  readonly ready: Effect.Effect<void>
  /** Starts a server over, Failed or not; `false` when there is none of that name. */
  readonly reset: (server: string) => Effect.Effect<boolean>
}

export class McpRuntime extends Context.Service<McpRuntime, McpRuntimeShape>()("mcp-live/services/McpRuntime") {}
