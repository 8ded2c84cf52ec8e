/** Sessions and tasks of a fleet's clients in its database. Defaults and limits, with their units in the names. */

/** Sessions whose node is known without asking the database. */
export const DIRECTORY_KNOWN_MAX = 50_000
/** Sessions and tasks that wait to be written while the database is away. */
export const DIRECTORY_WAITING_MAX = 50_000
/** A database that was busy is asked again after this time. */
export const DIRECTORY_AGAIN_MS = 250
/** How long a node whose connection broke may seem to be alive, and how often it is asked. */
export const DIRECTORY_DOUBT_MS = 8_000
export const DIRECTORY_DOUBT_LOOK_MS = 100
/** A death that this node knows and the database does not yet: how often that is looked at. */
export const DIRECTORY_DEATH_LOOKS = 10
/** Nodes that take over the same session at the same time: how often each looks again. */
export const DIRECTORY_TRIES = 5
/** How long a client may read on in a kept result. */
export const HANDLES_KEPT_HOURS = 24
/** How often what nobody comes back for is removed. */
export const DIRECTORY_SWEEP_MS = 60_000
