/**
 * Whoever is told what happens, to make spans and metrics of it. Most processes have nobody: then `current` is `undefined`, and whoever
 * would tell something does nothing but look at it. It is a `Context.Reference`, one for the process, because MCP clients are
 * served outside of the layers that know the configuration.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Tracer from "effect/Tracer"
import type { Attributes, Ended, Remote } from "../../schemas/telemetry/Operation.ts"
import type { Carried } from "../../schemas/telemetry/TraceContext.ts"
import type { ServerState } from "../../schemas/connection/ServerState.ts"
import type { HeardCall } from "../call/AuditFeed.ts"

/** A request that begins. */
export interface Begun {
  /** `client`: we ask; `server`: we are asked. */
  readonly side: "client" | "server"
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  readonly id: unknown
  readonly remote: Remote
  /** The HTTP header that it came with, if it came over HTTP. */
  readonly header?: ((name: string) => string | undefined) | undefined
}

/** A request under way. */
export interface Operation {
  /** What is done for the request belongs under this. */
  readonly span: Tracer.AnySpan
  /** What the request takes along in its `_meta`, if anything. */
  readonly carried: Carried | undefined
  /** Only the first call counts. */
  readonly end: (ended: Ended) => void
}

/** A part of a call that takes time. */
export interface Stage<A> {
  readonly name: string
  readonly attributes?: Attributes | undefined
  /** How its result counts. Without it, every result is a good one. */
  readonly endedWith?: ((result: A) => Ended & { readonly attributes?: Attributes }) | undefined
}

/** Makes spans and metrics. Nothing here fails or waits. */
export interface Recorder {
  /** Whether spans of calls may say whose they are. */
  readonly people?: boolean | undefined
  readonly begin: (begun: Begun) => Operation
  /** Runs an effect in a span of its own, under the current one. */
  readonly during: <A, E, R>(stage: Stage<A>, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** A connection ended that was open for so long; `errorType` if that was no decision of ours. */
  readonly sessionEnded: (side: "client" | "server", remote: Remote, seconds: number, errorType?: string) => void
  /** A server changed its state; `undefined` before the first one and after the last. */
  readonly moved: (server: string, from: ServerState["_tag"] | undefined, to: ServerState["_tag"] | undefined) => void
  readonly restarted: (server: string) => void
  /** A call ended, in whatever way. */
  readonly called: (call: HeardCall) => void
}

/** The one who is told, if there is somebody now. */
export interface Recording {
  current: Recorder | undefined
}

/** Whoever is told what happens in this process, if there is somebody. */
export class Telemetry extends Context.Reference<Recording>("mcp-live/services/Telemetry", {
  defaultValue: () => ({ current: undefined })
}) {}
