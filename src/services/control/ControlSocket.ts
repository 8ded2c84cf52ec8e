/** Lets the commands of this user reach this process while it runs. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Lets the commands of this user reach this process: a socket in the data directory that nobody else can use, and a file that announces it.
 * Both are gone when the Scope closes. If no socket can be opened, the log says why, and everything else works.
 */
export class ControlSocket extends Context.Service<
  ControlSocket,
  {
    /** Completes when the socket is open, or cannot be opened. */
    readonly opened: Effect.Effect<void>
  }
>()("mcp-live/services/ControlSocket") {}
