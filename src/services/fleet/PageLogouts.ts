/** Logouts from the page for people: a session that has ended at one node of a fleet has ended at all. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"

/** Logouts from the page for people: a session that has ended at one node of a fleet has ended at all. Sessions are named by digests. */
export class PageLogouts extends Context.Service<
  PageLogouts,
  {
    /**
     * Ends a session that would last until then (milliseconds since 1970). While the database is away, the other nodes are told as soon as it
     * is back.
     */
    readonly end: (session: string, until: number) => Effect.Effect<void>
    /** Whether somebody has ended it, at any node. */
    readonly hasEnded: (session: string) => Effect.Effect<boolean, DatabaseAway>
    /** The sessions that are ended from now on. What is ended while the database is away may be missing. */
    readonly ended: Stream.Stream<string>
  }
>()("mcp-live/services/PageLogouts") {}
