/** Tools that belong to one session alone, beside those of its agent. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { McpRuntimeShape } from "../call/McpRuntime.ts"

/** Tools that belong to one session alone, beside those of its agent. */
export class SessionTools extends Context.Service<
  SessionTools,
  {
    /** From now on the session has these, instead of those that it may have had. Whoever sets them stops them. */
    readonly set: (sessionKey: string, tools: McpRuntimeShape) => Effect.Effect<void>
    /** What the session has; `undefined` for one that has nothing of its own. Another session's are never given. */
    readonly get: (sessionKey: string) => Effect.Effect<McpRuntimeShape | undefined>
    readonly clear: (sessionKey: string) => Effect.Effect<void>
    /**
     * Whoever gives the session's tools to somebody else takes them back there with this. It runs once, before the tools that the
     * session has now are cleared or replaced, and is waited for; at once when it has none.
     */
    readonly onClear: (sessionKey: string, takeBack: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("mcp-live/services/SessionTools") {}
