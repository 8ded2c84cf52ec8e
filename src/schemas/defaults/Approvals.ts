/** What needs a person's yes. Defaults and bounds, with their units in the names. */

/** Time a person has to approve a call, the wait for other questions included. */
export const APPROVAL_TIMEOUT_MS = 300_000
/** Of the arguments that they are shown: characters, how many of them, characters of a name. */
export const APPROVAL_ARGUMENTS_MAX_CHARS = 4 * 1024
export const APPROVAL_ARGUMENTS_MAX = 32
export const APPROVAL_NAME_MAX_CHARS = 80
/** What one approval takes that is kept, and how many are listed. */
export const APPROVAL_FILE_MAX_BYTES = 16 * 1024
export const APPROVALS_LISTED_MAX = 10_000
/** Approvals for a session that are remembered; the oldest is forgotten for a new one. */
export const APPROVALS_HELD_MAX = 4_096
