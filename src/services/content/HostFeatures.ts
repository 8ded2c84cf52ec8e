/**
 * What the host offers to servers: roots, sampling, elicitation. Every request gets an answer; where nothing is
 * configured it is a proper refusal.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { HostRefusal, Root } from "../../schemas/content/HostRequest.ts"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { LogMessage } from "../../schemas/connection/LogMessage.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"

/**
 * What the host offers to servers: roots, sampling, elicitation. Every request gets an answer; where nothing is
 * configured it is a refusal.
 */
export class HostFeatures extends Context.Service<
  HostFeatures,
  {
    /** The client capabilities that are declared to this server. */
    readonly capabilities: (server: ServerConfig) => JsonObject
    /**
     * Answers `roots/list`, `sampling/createMessage` or `elicitation/create`, raw as the server sent it, with the raw
     * result. Interrupted when the server takes the request back or the connection ends. Callers bound it in time.
     */
    readonly answer: (
      server: ServerConfig,
      method: string,
      params: Readonly<Record<string, unknown>>
    ) => Effect.Effect<JsonObject, HostRefusal>
    /** Replaces the roots; servers that know roots are told. */
    readonly setRoots: (roots: ReadonlyArray<Root>) => Effect.Effect<void>
    /** Emits after each change of the roots. */
    readonly rootsChanged: Stream.Stream<void>
    /**
     * Told what a server says for a log: one line, cleaned and masked, so many in a second. It is in our own log either way. Left
     * out where nobody else wants it.
     */
    readonly heard?: ((server: ServerConfig, message: LogMessage) => void) | undefined
  }
>()("mcp-live/services/HostFeatures") {}
