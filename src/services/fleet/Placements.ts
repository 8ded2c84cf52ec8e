/** At which node each shared server process lives. It is decided once, in the database; a process moves only when its node is gone or drains. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import type { Place } from "../../schemas/fleet/ServerRpcs.ts"

export class Placements extends Context.Service<
  Placements,
  {
    /** Where it lives, or is to be started. What is known of a node that lives needs no query. */
    readonly placeOf: (key: string) => Effect.Effect<Place, DatabaseAway>
    /** The place was not right any more: the next question reads the database. */
    readonly forget: (place: Place) => void
    /** Gives a place of this node up, so that the next one who needs the server finds another. */
    readonly free: (place: Place) => Effect.Effect<void>
  }
>()("mcp-live/services/Placements") {}
