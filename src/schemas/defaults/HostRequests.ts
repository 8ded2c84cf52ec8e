/** Requests of servers to us. Defaults and limits, with their units in the names. */

/** Time that a person has to answer a server's question. */
export const ELICITATION_TIMEOUT_MS = 600_000
export const SAMPLING_TIMEOUT_MS = 120_000
/** Tokens that a server may request from the host's model at once, and completions per minute. */
export const SAMPLING_MAX_TOKENS = 4_096
export const SAMPLING_PER_MINUTE = 10
/** One sampling request: messages, content blocks, characters of text, base64 characters of images and sounds. */
export const SAMPLING_MAX_MESSAGES = 128
export const SAMPLING_MAX_BLOCKS = 256
export const SAMPLING_MAX_CHARS = 256 * 1024
export const SAMPLING_MEDIA_MAX_CHARS = 8 * 1024 * 1024
/** How many stop sequences and model hints of a request are kept. */
export const SAMPLING_STOP_SEQUENCES_MAX = 16
export const SAMPLING_MODEL_HINTS_MAX = 16
/** Questions per minute that one server may ask a person. */
export const ELICITATION_PER_MINUTE = 30
/**
 * Requests of both kinds that are read from one server per minute, including invalid ones; further ones are refused unread,
 * and are not in the audit log.
 */
export const HOST_READS_PER_MINUTE = 120
/** One form: fields, and choices over all its fields. */
export const ELICITATION_MAX_FIELDS = 64
export const ELICITATION_MAX_CHOICES = 1_024
/** The name of a field, or one of its choices. */
export const ELICITATION_VALUE_MAX_CHARS = 256
/** Requests of one server that wait for an answer of the host. */
export const HOST_REQUESTS_MAX = 8
/** Rounds of `input_required` within one request. */
export const INPUT_ROUNDS_MAX = 10
/** Memory of the demands for input of one server that are being met at once, beyond a first one. */
export const INPUT_HELD_MAX_BYTES = 32 * 1024 * 1024
/** Pause between two rounds in which a server asked for nothing but another round. */
export const INPUT_ROUND_PAUSE_MS = 250
/** Time between two polls of a task: the default, and the minimum. */
export const TASK_POLL_MS = 1_000
export const TASK_POLL_MIN_MS = 100
/** The maximum, whatever its server asks for. */
export const TASK_POLL_MAX_MS = 60_000
/** How long a server is asked to keep a task. */
export const TASK_TTL_MS = 3_600_000
export const TASK_ID_MAX_CHARS = 1024
/** How much longer a server may take to name a task that nobody waits for, so that it can be cancelled. */
export const TASK_LATE_MS = 60_000

/** Time to send a server the roots: nobody has to be asked. */
export const ROOTS_TIMEOUT_MS = 10_000
/** Requests per second of one server, whoever answers them; further ones are not answered. */
export const HOST_REQUESTS_PER_SECOND = 256
/** Responses that an HTTP server has not accepted: each holds a connection. */
export const ANSWERS_UNTAKEN_MAX = 64
/** Responses that wait until others are accepted. Beyond that, its requests are not answered. */
export const ANSWERS_WAITING_MAX = 1_000
/** Time for an HTTP server to accept a message that needs no response. */
export const MESSAGE_TAKEN_MS = 30_000

/** When a stream of notifications that ended is opened again; doubled each time. */
export const LISTEN_AGAIN_MS = 1_000
export const LISTEN_AGAIN_MAX_MS = 30_000
/** Resources of one server that are subscribed to, and how many of these requests are in flight at once. */
export const WATCHED_RESOURCES_MAX = 256
export const WATCH_CONCURRENCY = 8
/** Changed resources that wait to be handled; the oldest are dropped first. */
export const RESOURCE_UPDATES_QUEUED = 256
/** Problems of one set of lists that are logged one by one. */
export const DIAGNOSTICS_LOGGED_MAX = 20
