/** MCP clients that connect to us. Defaults and limits, with their units in the names. */
import { JSON_MAX_DEPTH } from "./Wire.ts"

/**
 * One message of an MCP client, over stdio or HTTP: a call with its arguments, or the answer to a question. As large as
 * servers with the protocol's official library accept over HTTP; the number of parts is limited so that parsing takes at most
 * some 10 ms.
 */
export const LISTENER_CALL_MAX_BYTES = 4 * 1024 * 1024
export const LISTENER_CALL_MAX_DEPTH = JSON_MAX_DEPTH
export const LISTENER_CALL_MAX_VALUES = 100_000
export const LISTENER_CALL_MAX_PARTS = 25_000
/**
 * Messages that were received and not answered yet. Each string, list and object counts with the memory that it takes when parsed.
 */
export const LISTENER_RECEIVING_MAX_BYTES = 16 * 1024 * 1024
export const LISTENER_RECEIVING_IN_ALL_MAX_BYTES = 64 * 1024 * 1024
/** Messages in one batch (2025-03-26). */
export const LISTENER_BATCH_MAX = 64
/**
 * For a client that was refused before its request was read completely: how much more is read, and how long it then has to
 * read the refusal.
 */
export const LISTENER_REFUSED_MAX_BYTES = 8 * 1024 * 1024
export const LISTENER_REFUSED_MS = 1_000
/** Bytes on stdio that wait to be processed. */
export const LISTENER_WAITING_MAX_BYTES = 1024 * 1024
/**
 * How often, and how much, is read from a client on stdin that does not read our output: the only way to notice that it has left.
 */
export const LISTENER_PROBE_MS = 50
export const LISTENER_PROBED_MAX_BYTES = 32 * 1024 * 1024
/**
 * Output that a client has not read: from here on none of its messages is processed; over HTTP, notification streams are cut off.
 */
export const LISTENER_UNREAD_MAX_BYTES = 1024 * 1024
/**
 * Unread HTTP responses for one token, and for all tokens together except the last response; and the time for a client to
 * read a complete response. The largest answer to an agent request fits.
 */
export const LISTENER_UNREAD_ANSWERS_MAX_BYTES = 72 * 1024 * 1024
export const LISTENER_UNREAD_ANSWERS_IN_ALL_MAX_BYTES = 96 * 1024 * 1024
export const LISTENER_UNREAD_MS = 60_000
/** Requests under way for one token, or for the client on stdio, including those that wait for an answer of the client. */
export const LISTENER_REQUESTS_MAX = 256
/** Connections from anybody, and the time for each request, and its headers, to arrive. */
export const LISTENER_CONNECTIONS_MAX = 512
/** A connection without a request yet is left alone for this long, up to so many times the connections. */
export const CONNECTION_FRESH_MS = 2_000
export const CONNECTIONS_FRESH_SHARE = 4
/** The share of our file descriptors that connections to us may use: servers need the rest. */
export const CONNECTIONS_SHARE = 0.5
export const LISTENER_RECEIVE_MS = 60_000
/**
 * How much of one connection is processed per turn of the event loop: at first, at most, and the processing time up to which
 * the next piece may be larger. And the time per round for all connections without a token.
 */
export const CONNECTION_PIECE_BYTES = 2 * 1024
export const CONNECTION_PIECE_MAX_BYTES = 64 * 1024
export const CONNECTION_PIECE_MS = 0.25
export const CONNECTION_STRANGERS_MS = 0.5
/** A round of turns goes on while connections arrive, up to so many of them. */
export const CONNECTION_ARRIVALS_MAX = 64
/** Unanswered requests on one connection: clients send one, and the next may cross with the end of its response. */
export const CONNECTION_REQUESTS_MAX = 2
export const LISTENER_HEAD_MS = 10_000
/** After this time of silence on a connection, the system checks whether the other end is still there. */
export const LISTENER_SILENT_MS = 60_000
/** Sessions in total, and for one token; and how long an unused one is kept. */
export const LISTENER_SESSIONS_MAX = 256
export const LISTENER_SESSIONS_EACH_MAX = 64
/** Clients with tokens of issuers of whom something is remembered; those with nothing under way make room. */
export const LISTENER_OTHERS_MAX = 4_096
export const LISTENER_SESSION_IDLE_MS = 1_800_000
/** The same for a node of a fleet: sessions in total, also for one token. */
export const FLEET_SESSIONS_MAX = 20_000
export const FLEET_SESSIONS_HIGHEST = 100_000
/**
 * A session that moves from one node to another: how often a request for it is passed on, how often the node that should have it may say that it
 * does not, and how long to wait before the next time, doubling. And connections to another node that wait for the next request.
 */
export const LISTENER_HOPS_MAX = 8
export const LISTENER_DENIALS_MAX = 4
export const LISTENER_HOP_MS = 10
/** How long a request for a session, and a use of a server that nodes share, waits until its node is confirmed by its fleet. */
export const LISTENER_CONFIRM_MS = 10_000
/** Sessions that a node that ends gives to others at once. */
export const LISTENER_HANDING_OVER = 64
export const LISTENER_PEER_SOCKETS_FREE_MAX = 64
/** The server name at the end of one of our URLs; and URLs with state, for one token. */
export const LISTENER_ONLY_MAX_CHARS = 1024
export const LISTENER_ADDRESSES_EACH_MAX = 256
/** A host name or web origin that may connect, and how many there may be. */
export const DOOR_NAME_MAX_CHARS = 300
export const DOOR_NAMES_MAX = 64
/** How long a browser may cache the answer to a preflight request. */
export const LISTENER_PREFLIGHT_S = 600
/** The beginning of a stream waits for the answer for once to twice this time, so that both are sent together. */
export const LISTENER_GATHER_MS = 5
/** How often a stream sends a sign of life, so that proxies keep it open. */
export const LISTENER_KEEP_ALIVE_MS = 15_000
/** How long a request continues after its client has lost the connection, so that it can resume; and how many for one token. */
export const LISTENER_RESUME_MS = 30_000
export const LISTENER_AWAY_MAX = 64
/** After what time the client should reconnect. */
export const LISTENER_RETRY_MS = 1_000
/** The events that are kept for that: for one session, for one token, and for all tokens together. */
export const LISTENER_EVENTS_MAX = 1_000
export const LISTENER_EVENTS_EACH_MAX_CHARS = 16 * 1024 * 1024
export const LISTENER_EVENTS_MAX_CHARS = 32 * 1024 * 1024
export const LISTENER_EVENTS_IN_ALL_MAX_CHARS = 32 * 1024 * 1024
/** Resource subscriptions of one session, and notification streams for one token. */
export const LISTENER_SUBSCRIPTIONS_MAX = 256
export const LISTENER_URI_MAX_CHARS = 8_192
/** The URIs of all subscriptions of one session together, and all roots of a client: both are kept as long as the session. */
export const LISTENER_URIS_MAX_CHARS = 256 * 1024
/** Keys in the `_meta` of a request, and arguments of a call: examining each takes time. */
export const LISTENER_META_NAMES_MAX = 256
export const LISTENER_ARGUMENTS_MAX = 1_024
/** What a client says about itself in `initialize`, parsed: kept as long as its session. */
export const LISTENER_GREETING_MAX_BYTES = 64 * 1024
/** The id of a request, the name of a method, or a progress token. */
export const LISTENER_ID_MAX_CHARS = 1_024
/** Simultaneous questions to a client during one request; and how long to wait for its answer, or for its return. */
export const LISTENER_ASKS_MAX = 16
export const LISTENER_ASK_MS = 600_000
/**
 * Tasks of one client, including finished ones that are kept; how long one is kept from its start, if the client does not say
 * or asks for too long; and how often the client may poll. A client that supports tasks gets one for a call that takes longer
 * than this.
 */
export const LISTENER_TASKS_MAX = 64
export const LISTENER_TASK_TTL_MS = 3_600_000
export const LISTENER_TASK_TTL_MIN_MS = 60_000
export const LISTENER_TASK_TTL_MAX_MS = 86_400_000
export const LISTENER_TASK_POLL_MS = 1_000
export const LISTENER_TASK_AFTER_MS = 500
/** The result of a task that is kept in the database of a fleet, so that it outlives its node. */
export const LISTENER_TASK_RECORD_MAX_CHARS = 4 * 1024 * 1024
/** Requests that wait for the result of one task. */
export const LISTENER_TASK_WAITERS_MAX = 16
/**
 * Characters of results that are kept for one token, or for the client on stdio, until it fetches them; and for all tokens
 * together, where the largest answer to an agent request fits.
 */
export const LISTENER_TASK_RESULTS_MAX_CHARS = 64 * 1024 * 1024
export const LISTENER_TASK_RESULTS_IN_ALL_MAX_CHARS = 72 * 1024 * 1024
/** Roots of a client that are used, and how long it has to list them. */
export const LISTENER_ROOTS_MAX = 256
export const LISTENER_ROOTS_MS = 30_000
export const LISTENER_NAME_MAX_CHARS = 128
/**
 * Log messages of one call that wait for the client to read, the size of one, and the default log level for clients up to
 * 2025-11-25.
 */
export const LISTENER_LOGS_MAX = 64
export const LISTENER_LOG_MAX_CHARS = 16_384
export const LISTENER_LOG_LEVEL = "info"
/** How long the requests under way have to end after the client on stdio has left. */
export const LISTENER_LEAVE_MS = 1_500
/**
 * A node of a fleet that ends: how long it waits for what is under way, how long it goes on at least so that load balancers see it, and how
 * often it looks.
 */
export const FLEET_DRAIN_MS = 25_000
export const FLEET_DRAIN_NOTICE_MS = 2_000
export const FLEET_DRAIN_LOOK_MS = 50
/** How long a node of a fleet waits for another one's page. */
export const LISTENER_PAGE_MS = 60_000
