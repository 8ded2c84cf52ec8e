/** The wire between us and a server: sizes, turns, timeouts. Defaults and limits, with their units in the names. */

/** One JSON-RPC message: a line on stdio, one SSE event, one decoded HTTP body. */
export const MESSAGE_MAX_BYTES = 16 * 1024 * 1024
/** How much is read of an HTTP error body. */
export const HTTP_ERROR_BODY_MAX_BYTES = 64 * 1024
/** Redirects that are followed, all within one web origin. */
export const REDIRECTS_MAX = 3
/** URLs that a server supplied (OAuth): one document, and the time for it. */
export const SUPPLIED_BODY_MAX_BYTES = 1024 * 1024
export const SUPPLIED_TIMEOUT_MS = 30_000
/** A host name in an error. */
export const HOST_MAX_CHARS = 100
/** A session id of a Streamable HTTP server. */
export const SESSION_ID_MAX_CHARS = 1024
/** A session that is lost this soon after it replaced another one is not replaced: the connection ends. */
export const SESSION_RENEWED_MIN_MS = 60_000
/** The longest `Retry-After` that is honored; a request waits at most `RETRY_AFTER_WAIT_MS` for it. */
export const RETRY_AFTER_MAX_MS = 300_000
export const RETRY_AFTER_WAIT_MS = 10_000
/** Pause before a request without side effects is sent again to a server that failed without saying when to retry. */
export const RESEND_PAUSE_MS = 1_000
/** Responses that an HTTP server does not end although their requests have ended; each holds a connection. */
export const STREAMS_LINGERING_MAX = 64
/**
 * Long messages that arrive over HTTP at the same time: of one server, and of all together. Further ones wait before they are long.
 * Besides, each server may have one of its guaranteed size: the longest message times the number of all, divided by the servers.
 */
export const LONG_MESSAGES_MAX = 4
export const LONG_MESSAGES_IN_ALL_MAX = 4
/** Time for the last message to an HTTP server. */
export const HANG_UP_MS = 1_000
/** Before a broken event stream is opened again: the least and the most that a server may ask for; and failures in a row that end a call. */
export const STREAM_RECONNECT_MIN_MS = 100
export const STREAM_RECONNECT_MAX_MS = 24 * 60 * 60 * 1000
export const STREAM_RECONNECT_TRIES = 2
/** The same where the server asks for no time. Either grows with each failure in a row, up to the cap. */
export const STREAM_RECONNECT_BASE_MS = 1_000
export const STREAM_RECONNECT_CAP_MS = 30_000
export const STREAM_RECONNECT_GROWTH = 1.5
/** Requests that wait in one server's stdin pipe before a new one is refused. */
export const WRITE_QUEUE_MAX_BYTES = 64 * 1024 * 1024
/** Nesting of a JSON value that is accepted. */
export const JSON_MAX_DEPTH = 128
export const JSON_MAX_NODES = 1_000_000
/**
 * Strings (including keys), lists and objects in the text of one message: for a parser each of them takes a hundred times as
 * long as a number, and keys that all differ take longest. The definitions of two thousand tools have this many; other
 * responses should be parsed and converted within some 50 ms. The last one is for messages that answer no request.
 */
export const JSON_MAX_PARTS = 250_000
export const JSON_MAX_NAMES = 100_000
export const JSON_ANSWER_MAX_NODES = 250_000
export const JSON_ANSWER_MAX_PARTS = 64_000
export const JSON_ANSWER_MAX_NAMES = 32_000
export const JSON_UNASKED_MAX_PARTS = 8_000
/** A text this short can be parsed whatever it contains. */
export const JSON_UNSEEN_MAX = 64 * 1024

/** Work on the output of one server, in a window of time, before others run. */
export const STREAM_TURN_MS = 2
export const STREAM_WINDOW_MS = 16
/** Lines of one client that are handed on before others run: what follows from a line may be done only after that. */
export const STREAM_TURN_LINES = 64
/** Work that took longer than this is followed by a pause of the same length, up to a limit. */
export const STREAM_LONG_MS = 50
export const STREAM_REST_MAX_MS = 1_000
/** Work on output of a server that answers nothing, before it is slowed down; and the largest debt. */
export const STREAM_BURST_MS = 250
export const STREAM_DEBT_MAX_MS = 500
/** Its share of the time after that: for one server, and for all such servers together. */
export const STREAM_SHARE = 0.2
export const STREAM_TOGETHER_SHARE = 0.4
/** A server without a turn for this long does not count among them. */
export const STREAM_TOGETHER_MS = 10_000
/** A message with more parts than this is long; the second value is the most that a turn with one counts. */
export const STREAM_LONG_PARTS = 16
export const STREAM_LONG_COUNTS_MS = 125
/** The cost of receiving bytes, before they are examined. */
export const STREAM_READ_MS = 0.05
/** The same for a part of a message that is too long: its memory has to be collected, and nobody uses it. */
export const STREAM_SKIP_MS = 0.25
/** The same for such a part of a body that was passed on before it was known to be useless. */
export const STREAM_UNUSABLE_MS = 1
/** What it counts to open a stream again, which a server may cause as often as it ends one. */
export const STREAM_REOPENED_MS = 4
/** How much of an HTTP body is passed on at once: this much, to the end of the line, and at most the larger value. */
export const STREAM_PIECE_BYTES = 2 * 1024
export const STREAM_PIECE_MAX_BYTES = 64 * 1024
/**
 * The framing of a server's responses (headers, chunk sizes and extensions, trailers): this much at once, then in proportion
 * to its responses and our requests. And the interim responses of one request.
 */
export const FRAMING_FREE_BYTES = 1024 * 1024
export const FRAMING_PER_BODY_BYTE = 4
/** A chunk of a response counts as so much, because to parse it takes as long. */
export const FRAMING_PER_CHUNK_BYTES = 24
export const FRAMING_PER_REQUEST_BYTES = 128 * 1024
export const INTERIM_RESPONSES_MAX = 32

/** An answer that cannot be read is taken for one unless the real one comes within this time. */
export const BROKEN_ANSWER_GRACE_MS = 2_000

export const STDERR_RING_BYTES = 64 * 1024
export const STDERR_LINE_MAX = 8 * 1024
export const STDERR_LINES_PER_SECOND = 50

/** Large work runs this long before others get a turn. */
export const TURN_MS = 4
