/** Secrets: where they come from and how they are masked. Defaults and bounds, with their units in the names. */

/** Secrets shorter than this are not masked: masking them would shred ordinary text. */
export const SECRET_MASK_MIN_CHARS = 6
/** What may be a token by its looks has at least so many characters. */
export const SECRET_RANDOM_MIN_CHARS = 16
/** What a stranger chose is a secret if so much of it looks random: 27 characters of hex, or 19 letters and digits. */
export const SECRET_STRANGE_MIN_BITS = 108
/** Letters and digits without anything between, of which the looks say something. */
export const SECRET_RANDOM_PIECE_MIN_CHARS = 8
/** Values of servers that are gone, which are masked still; of more than that the older half is forgotten. */
export const SECRETS_RELEASED_MAX = 512
/** Values whose forms are made in one turn of the event loop: each takes about a tenth of a millisecond. */
export const SECRETS_LEARNED_AT_ONCE = 16
/** Texts up to this length may be the parts of one that was cut up into a list. */
export const LIST_LETTERS_MAX_CHARS = 4
/** A refusal for a secret in arguments is logged once in this time for each server and tool, and for so many of them. */
export const SECRET_REFUSAL_LOG_MS = 60_000
export const SECRET_REFUSALS_KNOWN_MAX = 1_024
/** Longer values are masked in pieces of about this size, but in no more pieces than `SECRET_PIECES_MAX`. */
export const SECRET_WHOLE_MAX_CHARS = 4 * 1024
export const SECRET_PIECES_MAX = 256
/** A value of more lines than this has its lines masked as they are, and only as a whole in every encoding. */
export const SECRET_LINES_ENCODED_MAX = 256
/** Where escapes have to be undone first, values are looked for in pieces of this size. */
export const SECRET_PART_MAX_CHARS = 128
/** Fewer bytes may stand in a list of numbers by chance. */
export const SECRET_LIST_MIN_BYTES = 8
/** A longer text is looked through in windows of so many characters, each of them a turn: a few milliseconds of work. */
export const SECRET_WINDOW_CHARS = 64 * 1024
/** Arguments that are more work than this to look through are not sent. */
export const SECRET_LOOK_MS = 30_000
/** Values, or masks, that are looked at in one turn. */
export const SECRET_LOOKS_MAX = 2_048
/** How often escapes are undone within escapes when a secret is looked for. */
export const SECRET_ESCAPES_DEEP = 2
/** A key of arguments in the path that tells where a secret was found in them. */
export const ARGUMENT_PATH_KEY_MAX_CHARS = 40
/** Providers must answer within this time. */
export const SECRET_TIMEOUT_MS = 10_000
/** Values of providers that are asked over a network or by a command are kept for so long; failures, at most. */
export const SECRET_TTL_MS = 300_000
export const SECRET_FAILURE_TTL_MS = 5_000
/** References whose values are kept at once. */
export const SECRETS_KEPT_MAX = 1_024
/** What a command or an address may answer with when it is asked for a secret. */
export const SECRET_ANSWER_MAX_BYTES = 1024 * 1024
/** A provider that failed for a passing reason is asked again so often, after so long. */
export const SECRET_RETRIES = 2
export const SECRET_RETRY_MS = 750
/** How often a standby node of Vault may send a request on. */
export const VAULT_REDIRECTS_MAX = 3
/** Where AppRole is mounted when nothing else is said. */
export const VAULT_APPROLE_MOUNT = "approle"
/** A token is replaced so long before its lease ends, or a tenth of the lease before, whichever is less. */
export const VAULT_LEASE_MARGIN_MS = 30_000
/** A login that did not help against a refusal is not tried again for so long: logins may be counted. */
export const VAULT_LOGIN_PAUSE_MS = 60_000
/** How long a validation waits for each reference that it tries, and how many it tries at once. */
export const SECRET_TRIAL_MS = 30_000
export const SECRET_TRIALS_AT_ONCE = 16
/** A secret in a file. */
export const SECRET_FILE_MAX_BYTES = 1024 * 1024
/** What an error shows of a reference that could not be read. */
export const SECRET_REFERENCE_SHOWN_CHARS = 128
