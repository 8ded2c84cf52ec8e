/** What goes between us and a server: sizes, turns, patience. Defaults and bounds, with their units in the names. */

/** One JSON-RPC message: a line on stdio, one SSE event, one decoded HTTP body. */
export const MESSAGE_MAX_BYTES = 16 * 1024 * 1024
/** What is read of an HTTP error body. */
export const HTTP_ERROR_BODY_MAX_BYTES = 64 * 1024
/** Redirects that are followed, all within one origin. */
export const REDIRECTS_MAX = 3
/** What a server supplied an address for (OAuth): one document, and the time for it. */
export const SUPPLIED_BODY_MAX_BYTES = 1024 * 1024
export const SUPPLIED_TIMEOUT_MS = 30_000
/** A host in an error. */
export const HOST_MAX_CHARS = 100
/** A session id of a Streamable HTTP server. */
export const SESSION_ID_MAX_CHARS = 1024
/** A session that is lost so soon after it replaced another one is not replaced in its turn: the connection ends. */
export const SESSION_RENEWED_MIN_MS = 60_000
/** How long a server may ask not to be asked again; a request waits no longer than `RETRY_AFTER_WAIT_MS` for it. */
export const RETRY_AFTER_MAX_MS = 300_000
export const RETRY_AFTER_WAIT_MS = 10_000
/** Before a request that changes nothing is sent once more to a server that failed on it without saying when. */
export const RESEND_PAUSE_MS = 1_000
/** Time for the last word to an HTTP server. */
export const HANG_UP_MS = 1_000
/** Before a broken stream of events is opened again: what a server may ask for at least and at most, and failures in a row. */
export const STREAM_RECONNECT_MIN_MS = 100
export const STREAM_RECONNECT_MAX_MS = 24 * 60 * 60 * 1000
export const STREAM_RECONNECT_TRIES = 2
/** The same where the server asks for no time; grows with each failure in a row. */
export const STREAM_RECONNECT_BASE_MS = 1_000
export const STREAM_RECONNECT_CAP_MS = 30_000
export const STREAM_RECONNECT_GROWTH = 1.5
/** Requests that wait in one server's stdin pipe before a new one is refused. */
export const WRITE_QUEUE_MAX_BYTES = 64 * 1024 * 1024
/** Nesting of a JSON value that we are willing to walk. */
export const JSON_MAX_DEPTH = 128
export const JSON_MAX_NODES = 1_000_000
/**
 * Strings (names among them), lists and objects in the text of one message: a parser takes a hundred times as long for one of
 * them as for a number, and longest for names that are all different. The definitions of two thousand tools have that many;
 * other answers are to be parsed and shaped within some 50 ms. And of a message that answers nothing that was asked.
 */
export const JSON_MAX_PARTS = 250_000
export const JSON_MAX_NAMES = 100_000
export const JSON_ANSWER_MAX_NODES = 250_000
export const JSON_ANSWER_MAX_PARTS = 64_000
export const JSON_ANSWER_MAX_NAMES = 32_000
export const JSON_UNASKED_MAX_PARTS = 8_000
/** Text this short can be parsed whatever it holds. */
export const JSON_UNSEEN_MAX = 64 * 1024

/** Work on what one server writes, in a window of time, before everybody else has their turn. */
export const STREAM_TURN_MS = 2
export const STREAM_WINDOW_MS = 16
/** Lines of one client that are handed on before everybody else has their turn: what follows from one may be done only after it. */
export const STREAM_TURN_LINES = 64
/** Work that took longer than this is followed by a rest of its own length, up to a bound. */
export const STREAM_LONG_MS = 50
export const STREAM_REST_MAX_MS = 1_000
/** Work on what a server writes without answering anything, before it is held back; and what it may owe at most. */
export const STREAM_BURST_MS = 250
export const STREAM_DEBT_MAX_MS = 500
/** From then on, of the time that passes: for one server, and for all of those together. */
export const STREAM_SHARE = 0.2
export const STREAM_TOGETHER_SHARE = 0.4
/** One that has had no turn for so long is not among those. */
export const STREAM_TOGETHER_MS = 10_000
/** What comes in more parts than this is a long message, and what a turn with one counts at most. */
export const STREAM_LONG_PARTS = 16
export const STREAM_LONG_COUNTS_MS = 125
/** What it costs to be given bytes, before any of them is looked at. */
export const STREAM_READ_MS = 0.05
/** The same for a part of a message that is too long: its memory has to be collected, and it is of no use to anybody. */
export const STREAM_SKIP_MS = 0.25
/** The same for such a part of a body that was passed on in vain, before it was known to be of no use. */
export const STREAM_UNUSABLE_MS = 1
/** What is passed on of an HTTP body at once: so much, to the end of the line, and no more than the larger. */
export const STREAM_PIECE_BYTES = 2 * 1024
export const STREAM_PIECE_MAX_BYTES = 64 * 1024
/**
 * What is around the answers of one server (heads, sizes and extensions of chunks, trailers): so much at once, and then in
 * proportion to its answers and our requests. And responses of one request that are not yet its own.
 */
export const FRAMING_FREE_BYTES = 1024 * 1024
export const FRAMING_PER_BODY_BYTE = 4
export const FRAMING_PER_REQUEST_BYTES = 128 * 1024
export const INTERIM_RESPONSES_MAX = 32

/** An answer that cannot be read is taken for one unless the real one comes within this time. */
export const BROKEN_ANSWER_GRACE_MS = 2_000

export const STDERR_RING_BYTES = 64 * 1024
export const STDERR_LINE_MAX = 8 * 1024
export const STDERR_LINES_PER_SECOND = 50

/** Work on something large before everybody else has a turn. */
export const TURN_MS = 4
