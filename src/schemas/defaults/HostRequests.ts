/** What servers ask of us. Defaults and bounds, with their units in the names. */

/** Time a person has to answer a server's question. */
export const ELICITATION_TIMEOUT_MS = 600_000
export const SAMPLING_TIMEOUT_MS = 120_000
/** Tokens that a server may ask of the host's model at once, and completions it may ask for in a minute. */
export const SAMPLING_MAX_TOKENS = 4_096
export const SAMPLING_PER_MINUTE = 10
/** Of one sampling request: messages, content blocks, characters of text, base64 characters of images and sounds. */
export const SAMPLING_MAX_MESSAGES = 128
export const SAMPLING_MAX_BLOCKS = 256
export const SAMPLING_MAX_CHARS = 256 * 1024
export const SAMPLING_MEDIA_MAX_CHARS = 8 * 1024 * 1024
/** What is kept of a request's stop sequences and of the models that it would like. */
export const SAMPLING_STOP_SEQUENCES_MAX = 16
export const SAMPLING_MODEL_HINTS_MAX = 16
/** Questions that one server may put to the person in a minute. */
export const ELICITATION_PER_MINUTE = 30
/**
 * Of both together, what is read of one server in a minute, also what makes no sense; what is more is refused unread, and is
 * not in the audit log.
 */
export const HOST_READS_PER_MINUTE = 120
/** Of one form: fields, and choices over all its fields. */
export const ELICITATION_MAX_FIELDS = 64
export const ELICITATION_MAX_CHOICES = 1_024
/** The name of a field, and one of its choices. */
export const ELICITATION_VALUE_MAX_CHARS = 256
/** Requests of one server that wait for an answer of the host. */
export const HOST_REQUESTS_MAX = 8
/** Rounds of `input_required` within one request. */
export const INPUT_ROUNDS_MAX = 10
/** Between two rounds in which a server asked for nothing but to be asked again. */
export const INPUT_ROUND_PAUSE_MS = 250
/** Between two looks at a task, when its server does not say, and at least. */
export const TASK_POLL_MS = 1_000
export const TASK_POLL_MIN_MS = 100
/** However seldom its server wants to be asked. */
export const TASK_POLL_MAX_MS = 60_000
/** How long a server is asked to keep a task. */
export const TASK_TTL_MS = 3_600_000
export const TASK_ID_MAX_CHARS = 1024
/** How much longer a server may take to name a task that nobody waits for any more, so that it can be cancelled. */
export const TASK_LATE_MS = 60_000

/** Time to tell a server the roots: nobody is asked for them. */
export const ROOTS_TIMEOUT_MS = 10_000
/** Requests of one server in a second, whoever answers them; what it asks beyond is not answered. */
export const HOST_REQUESTS_PER_SECOND = 256
/** Answers to an HTTP server that it has not taken: each holds a connection. */
export const ANSWERS_UNTAKEN_MAX = 64
/** Those that wait until others are taken. Beyond, its requests are not answered. */
export const ANSWERS_WAITING_MAX = 1_000
/** Time an HTTP server has to take a message that it owes no answer for. */
export const MESSAGE_TAKEN_MS = 30_000

/** A stream of announcements that ended is opened again after so long, doubled each time. */
export const LISTEN_AGAIN_MS = 1_000
export const LISTEN_AGAIN_MAX_MS = 30_000
/** Resources of one server whose changes are asked for, and how many of these requests are in flight at once. */
export const WATCHED_RESOURCES_MAX = 256
export const WATCH_CONCURRENCY = 8
/** Changes of resources that wait to be heard; the oldest go first. */
export const RESOURCE_UPDATES_QUEUED = 256
/** Complaints about one set of lists that are logged one by one. */
export const DIAGNOSTICS_LOGGED_MAX = 20
