/** Secrets: their sources and masking. Defaults and limits, with their units in the names. */

/** Shorter secrets are not masked: they occur in ordinary text. */
export const SECRET_MASK_MIN_CHARS = 6
/** The minimum length of something that looks like a token. */
export const SECRET_RANDOM_MIN_CHARS = 16
/** A value that a stranger chose counts as a secret if so much of it looks random: 27 hex characters, or 19 letters and digits. */
export const SECRET_STRANGE_MIN_BITS = 108
/** The minimum length of a run of letters and digits that is examined. */
export const SECRET_RANDOM_PIECE_MIN_CHARS = 8
/** Values of servers that have gone, which are still masked; beyond this number the older half is forgotten. */
export const SECRETS_RELEASED_MAX = 512
/** Values whose forms are computed in one step: each takes about a tenth of a millisecond. */
export const SECRETS_LEARNED_AT_ONCE = 16
/** Texts up to this length may be the pieces of one that was split into a list. */
export const LIST_LETTERS_MAX_CHARS = 4
/**
 * A refusal because of a secret in arguments is logged once in this time for each server and tool, and for at most this many
 * of them.
 */
export const SECRET_REFUSAL_LOG_MS = 60_000
export const SECRET_REFUSALS_KNOWN_MAX = 1_024
/** Longer values are masked in pieces of about this size, at most `SECRET_PIECES_MAX`. */
export const SECRET_WHOLE_MAX_CHARS = 4 * 1024
export const SECRET_PIECES_MAX = 256
/** A value with more lines than this has its lines masked only unencoded; encoded, only as a whole. */
export const SECRET_LINES_ENCODED_MAX = 256
/** If escapes have to be undone first, values are searched in pieces of this size. */
export const SECRET_PART_MAX_CHARS = 128
/** Fewer bytes may occur in a list of numbers by chance. */
export const SECRET_LIST_MIN_BYTES = 8
/** A longer text is examined in windows of this size, each in one step: a few milliseconds of work. */
export const SECRET_WINDOW_CHARS = 64 * 1024
/** Arguments that take longer to examine are not sent. */
export const SECRET_LOOK_MS = 30_000
/** Values or masks that are examined in one step. */
export const SECRET_LOOKS_MAX = 2_048
/** How many levels of nested escapes are undone when a secret is searched. */
export const SECRET_ESCAPES_DEEP = 2
/** A key in the path that tells where a secret was found in arguments. */
export const ARGUMENT_PATH_KEY_MAX_CHARS = 40
/** The time for a provider to answer. */
export const SECRET_TIMEOUT_MS = 10_000
/** How long values of providers that use a network or a command are cached, and failures at most. */
export const SECRET_TTL_MS = 300_000
export const SECRET_FAILURE_TTL_MS = 5_000
/** References whose values are cached. */
export const SECRETS_KEPT_MAX = 1_024
/** The answer of a command or URL that is asked for a secret. */
export const SECRET_ANSWER_MAX_BYTES = 1024 * 1024
/** A provider that failed for a passing reason is asked again so often, after so long. */
export const SECRET_RETRIES = 2
export const SECRET_RETRY_MS = 750
/** How often a standby node of Vault may redirect a request. */
export const VAULT_REDIRECTS_MAX = 3
/** The default mount of AppRole. */
export const VAULT_APPROLE_MOUNT = "approle"
/** A token is replaced this long before its lease ends, or a tenth of the lease if that is less. */
export const VAULT_LEASE_MARGIN_MS = 30_000
/** After a login that did not help against a refusal, how long none is tried: logins may be counted. */
export const VAULT_LOGIN_PAUSE_MS = 60_000
/** How long a validation waits for each reference, and how many it tries at once. */
export const SECRET_TRIAL_MS = 30_000
export const SECRET_TRIALS_AT_ONCE = 16
/** A secret in a file. */
export const SECRET_FILE_MAX_BYTES = 1024 * 1024
/** How much an error shows of a malformed reference. */
export const SECRET_REFERENCE_SHOWN_CHARS = 128
