/** Keeps what servers write to stderr, their log messages, and their life, so that a person can look at it later. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { LogLevel } from "../../schemas/connection/LogMessage.ts"
import type { ServerLogLine, ServerLogSource } from "../../schemas/connection/ServerLogLine.ts"

/** Optional: programs that stay provide it. */
export class ServerLogs extends Context.Service<
  ServerLogs,
  {
    /** Returns at once. The text is cleaned already, and on one line. `whose` is who has the server alone. */
    readonly write: (server: string, source: ServerLogSource, level: LogLevel, text: string, whose?: string) => void
    /** Calls `heard` with each line, until the Scope closes. It must return at once. */
    readonly onLine: (heard: (line: ServerLogLine) => void) => Effect.Effect<void, never, Scope.Scope>
    /** The lines of this process from now on. A reader that is too slow misses the oldest ones. */
    readonly lines: Stream.Stream<ServerLogLine>
  }
>()("mcp-live/services/ServerLogs") {}
