/** Approvals by a person. Defaults and limits, with their units in the names. */

/** Time that a person has to approve a call, including the wait for other questions. */
/** Approvers that one place names. */
export const APPROVERS_MAX = 64
export const APPROVAL_TIMEOUT_MS = 300_000
/** The arguments that are shown: characters, number of arguments, characters of a name. */
export const APPROVAL_ARGUMENTS_MAX_CHARS = 4 * 1024
export const APPROVAL_ARGUMENTS_MAX = 32
export const APPROVAL_NAME_MAX_CHARS = 80
/** The size of one stored approval, and how many are listed. */
export const APPROVAL_FILE_MAX_BYTES = 16 * 1024
export const APPROVALS_LISTED_MAX = 10_000
/** Remembered approvals of sessions; the oldest is dropped for a new one. */
export const APPROVALS_HELD_MAX = 4_096
