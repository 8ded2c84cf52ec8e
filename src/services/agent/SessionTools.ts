/** Tools of one session, in addition to those of its agent. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { McpRuntimeShape } from "../call/McpRuntime.ts"

/** Tools of one session, in addition to those of its agent. */
export class SessionTools extends Context.Service<
  SessionTools,
  {
    /** Gives the session these tools, in place of any that it had. The caller stops them when they are no longer needed. */
    readonly set: (sessionKey: string, tools: McpRuntimeShape) => Effect.Effect<void>
    /** The tools that the session has of its own; `undefined` when it has none. Never returns those of another session. */
    readonly get: (sessionKey: string) => Effect.Effect<McpRuntimeShape | undefined>
    readonly clear: (sessionKey: string) => Effect.Effect<void>
    /**
     * Registers `takeBack`, for code that has passed the session's tools on to somebody else. It runs once, and is waited
     * for, before the current tools are cleared or replaced; at once when the session has none.
     */
    readonly onClear: (sessionKey: string, takeBack: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("mcp-live/services/SessionTools") {}
