/** MCP clients that come to us. Defaults and bounds, with their units in the names. */
import { JSON_MAX_DEPTH } from "./Wire.ts"

/**
 * One message of an MCP client, on stdio as over HTTP: a call with its arguments, or an answer to a question. As much as
 * servers made with the protocol's official library take over HTTP; and few enough parts that a parser is done with them within
 * some 10 ms.
 */
export const LISTENER_CALL_MAX_BYTES = 4 * 1024 * 1024
export const LISTENER_CALL_MAX_DEPTH = JSON_MAX_DEPTH
export const LISTENER_CALL_MAX_VALUES = 100_000
export const LISTENER_CALL_MAX_PARTS = 25_000
/** What is received and not answered yet, each string, list and object counted as what it takes when it is parsed. */
export const LISTENER_RECEIVING_MAX_BYTES = 16 * 1024 * 1024
export const LISTENER_RECEIVING_IN_ALL_MAX_BYTES = 64 * 1024 * 1024
/** Messages that are sent as one (2025-03-26). */
export const LISTENER_BATCH_MAX = 64
/** Of a client that was refused before all was read: so much more is taken, and then it has so long to read the refusal. */
export const LISTENER_REFUSED_MAX_BYTES = 8 * 1024 * 1024
export const LISTENER_REFUSED_MS = 1_000
/** Bytes on stdio that wait for their turn. */
export const LISTENER_WAITING_MAX_BYTES = 1024 * 1024
/** How often, and how much, is read of a client at stdin that does not read us: only so is it known that it has left. */
export const LISTENER_PROBE_MS = 50
export const LISTENER_PROBED_MAX_BYTES = 32 * 1024 * 1024
/** What a client has not read: from here on no message of its own is taken; over HTTP, news are cut off. */
export const LISTENER_UNREAD_MAX_BYTES = 1024 * 1024
/**
 * Answers over HTTP that the holder of a token has not read, and all holders together, the last one not counted; and the time that
 * one has for an answer that is complete. The largest answer of an order has room in it.
 */
export const LISTENER_UNREAD_ANSWERS_MAX_BYTES = 72 * 1024 * 1024
export const LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES = 96 * 1024 * 1024
export const LISTENER_UNREAD_MS = 60_000
/** Requests under way for the holder of a token, or for the client on stdio; those that wait for an answer of it included. */
export const LISTENER_REQUESTS_MAX = 256
/** Connections, whoever makes them, and the time that each request, and the head of it, has to arrive. */
export const LISTENER_CONNECTIONS_MAX = 512
/** Of the files and connections that the system lets us have, the share of connections to us: servers need the others. */
export const CONNECTIONS_SHARE = 0.5
export const LISTENER_RECEIVE_MS = 60_000
/**
 * What is handed on of one connection in one turn of the event loop: at first, at most, and the time of a piece up to which the
 * next one may be larger. And the time in one turn for all connections that have not shown a token.
 */
export const CONNECTION_PIECE_BYTES = 2 * 1024
export const CONNECTION_PIECE_MAX_BYTES = 64 * 1024
export const CONNECTION_PIECE_MS = 0.25
export const CONNECTION_STRANGERS_MS = 0.5
/** Requests on one connection that are not answered: clients send one, and the next may cross with the end of its answer. */
export const CONNECTION_REQUESTS_MAX = 2
export const LISTENER_HEAD_MS = 10_000
/** A connection on which nothing comes for so long: the system looks whether the other end is there. */
export const LISTENER_SILENT_MS = 60_000
/** Sessions in all, and of one holder of a token; and how long one is kept that nobody uses. */
export const LISTENER_SESSIONS_MAX = 256
export const LISTENER_SESSIONS_EACH_MAX = 64
export const LISTENER_SESSION_IDLE_MS = 1_800_000
/** The name that an address of ours ends with; and addresses for which something is kept, of one holder of a token. */
export const LISTENER_ONLY_MAX_CHARS = 1024
export const LISTENER_ADDRESSES_EACH_MAX = 256
/** Of a name or an origin that a door is open to, and how many there may be. */
export const DOOR_NAME_MAX_CHARS = 300
export const DOOR_NAMES_MAX = 64
/** How long a browser may remember what a page may send. */
export const LISTENER_PREFLIGHT_S = 600
/** How long the beginning of a stream waits for the answer, so that both go out together. */
export const LISTENER_GATHER_MS = 5
/** How often a stream says that it is still there, so that nobody between takes it for dead. */
export const LISTENER_KEEP_ALIVE_MS = 15_000
/** How long a request whose client has lost its connection goes on, for it to come back; of one holder of a token so many. */
export const LISTENER_RESUME_MS = 30_000
export const LISTENER_AWAY_MAX = 64
/** When the client is to come back. */
export const LISTENER_RETRY_MS = 1_000
/** What is kept for it: of one session, of all those of a holder of a token, and of all holders together. */
export const LISTENER_EVENTS_MAX = 1_000
export const LISTENER_EVENTS_EACH_MAX_CHARS = 16 * 1024 * 1024
export const LISTENER_EVENTS_MAX_CHARS = 32 * 1024 * 1024
export const LISTENER_EVENTS_IN_ALL_MAX_CHARS = 32 * 1024 * 1024
/** Resources that one session is told of, and streams of news of one holder of a token. */
export const LISTENER_SUBSCRIPTIONS_MAX = 256
export const LISTENER_URI_MAX_CHARS = 8_192
/** All such resources of one session together, and all roots of a client: both are kept as long as it is there. */
export const LISTENER_URIS_MAX_CHARS = 256 * 1024
/** Names in the `_meta` of a request, and of arguments of a call: looking at each of them takes long. */
export const LISTENER_META_NAMES_MAX = 256
export const LISTENER_ARGUMENTS_MAX = 1_024
/** What a client says of itself when it begins, as it is parsed: kept as long as its session. */
export const LISTENER_GREETING_MAX_BYTES = 64 * 1024
/** Of what a client calls a request, a method, or progress. */
export const LISTENER_ID_MAX_CHARS = 1_024
/** What a client is asked in the middle of one request, at the same time; and how long its answer, or its return, is waited for. */
export const LISTENER_ASKS_MAX = 16
export const LISTENER_ASK_MS = 600_000
/**
 * Tasks of one client, ended ones that are kept for it included; how long one is kept from its beginning, where the client says
 * nothing or too much; and how often it may look. A client that takes tasks gets one for a call that takes longer than this.
 */
export const LISTENER_TASKS_MAX = 64
export const LISTENER_TASK_TTL_MS = 3_600_000
export const LISTENER_TASK_TTL_MIN_MS = 60_000
export const LISTENER_TASK_TTL_MAX_MS = 86_400_000
export const LISTENER_TASK_POLL_MS = 1_000
export const LISTENER_TASK_AFTER_MS = 500
/** Requests that wait for the result of one task. */
export const LISTENER_TASK_WAITERS_MAX = 16
/**
 * Characters of results that are kept for the holder of a token, or for the client on stdio, until it comes back for them; and
 * for all holders together, where the largest answer of an order has room.
 */
export const LISTENER_TASK_RESULTS_MAX_CHARS = 64 * 1024 * 1024
export const LISTENER_TASK_RESULTS_IN_ALL_MAX_CHARS = 72 * 1024 * 1024
/** Roots of a client that are heard, and how long it has to name them. */
export const LISTENER_ROOTS_MAX = 256
export const LISTENER_ROOTS_MS = 30_000
export const LISTENER_NAME_MAX_CHARS = 128
/**
 * Log messages of one call that wait for the client to read, what one of them may hold, and the level from which a client of up
 * to 2025-11-25 hears them before it has said what it wants.
 */
export const LISTENER_LOGS_MAX = 64
export const LISTENER_LOG_MAX_CHARS = 16_384
export const LISTENER_LOG_LEVEL = "info"
/** How long what was under way has to end when the client on stdio has left. */
export const LISTENER_LEAVE_MS = 1_500
