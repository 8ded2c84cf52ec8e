/**
 * What the host offers to servers: roots, sampling, elicitation. Every request is answered; without configuration, with a refusal.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { HostRefusal, Root } from "../../schemas/content/HostRequest.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { LogMessage } from "../../schemas/connection/LogMessage.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"

export type Unasked = <A, E, R>(
  servers: ReadonlyArray<ServerConfig>,
  call: Effect.Effect<A, E, R>
) => Effect.Effect<A, E, R>

/**
 * What the host offers to servers: roots, sampling, elicitation. Every request is answered; without configuration, with a refusal.
 */
export class HostFeatures extends Context.Service<
  HostFeatures,
  {
    /** The client capabilities that this server is told. */
    readonly capabilities: (server: ServerConfig) => JsonObject
    /**
     * Answers `roots/list`, `sampling/createMessage` or `elicitation/create`. Request and result are raw JSON. Interrupted
     * when the server cancels the request or the connection ends. The caller sets the time limit.
     */
    readonly answer: (
      server: ServerConfig,
      method: string,
      params: Readonly<Record<string, unknown>>
    ) => Effect.Effect<JsonObject, HostRefusal>
    /** Replaces the roots and notifies the servers that use roots. */
    readonly setRoots: (roots: ReadonlyArray<Root>) => Effect.Effect<void>
    /** Emits after each change of the roots. */
    readonly rootsChanged: Stream.Stream<void>
    /**
     * Called with the log messages of servers: one line each, cleaned and masked, limited per second. They are in our own log
     * in any case. `undefined` when nobody else wants them.
     */
    readonly heard?: ((server: ServerConfig, message: LogMessage) => void) | undefined
    /**
     * Runs a call of somebody whom these servers cannot ask, such as a command of the operator. Meanwhile, their questions are in doubt.
     * `undefined` where questions go to nobody but the user of this program.
     */
    readonly unasked?: Unasked | undefined
  }
>()("mcp-live/services/HostFeatures") {}
