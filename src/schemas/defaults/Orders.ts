/** Agent requests of MCP clients. Defaults and limits, with their units in the names. */

/** What a client may send with one request (the numbers of its input schema). */
export const ORDER_IMAGES_MAX = 10
export const ORDER_FILES_MAX = 5
export const ORDER_MEDIA_MAX_BYTES = 15 * 1024 * 1024
export const ORDER_MEDIA_IN_ALL_MAX = ORDER_IMAGES_MAX + ORDER_FILES_MAX
/**
 * One message with an agent request: all its media in base64, where some senders escape `+` or `/` as six bytes; and
 * everything else in it, which may consist of escapes only.
 */
export const ORDER_REQUEST_MAX_BYTES = 384 * 1024 * 1024
export const ORDER_TEXT_MAX_BYTES = 8 * 1024 * 1024
/** The time for such a message to arrive over HTTP: the largest fits at 5 Mbit/s. */
export const ORDER_RECEIVE_MS = 660_000
/**
 * What has been received and not answered yet, with media decoded, of one client and of all: the largest request, and room
 * for others.
 */
export const ORDER_RECEIVING_MAX_BYTES = 256 * 1024 * 1024
export const ORDER_RECEIVING_IN_ALL_MAX_BYTES = 256 * 1024 * 1024
export const ORDER_MESSAGE_MAX_CHARS = 1024 * 1024
export const ORDER_SESSION_KEY_MAX_CHARS = 128
/** The answer: one picture, sound or file, and everything together. */
export const ORDER_ITEM_MAX_BYTES = 20 * 1024 * 1024
export const ORDER_ANSWER_MAX_BYTES = 50 * 1024 * 1024
export const ORDER_ANSWER_PARTS_MAX = 1_000
/**
 * One complete result as JSON: official clients close their connection at a line of 10 MiB. The rest becomes links; a link
 * with its sentence and its place in the list takes at most the second value.
 */
export const ORDER_RESULT_MAX_BYTES = 8 * 1024 * 1024
export const ORDER_LINK_MAX_BYTES = 2 * 1024
/** The content of one link: for text, where a character may take six bytes as JSON; for media, a multiple of three. */
export const ORDER_PIECE_MAX_CHARS = 1024 * 1024
export const ORDER_PIECE_MAX_BYTES = 6 * 1024 * 1024
/** How much a result shows of the first text that is behind links. */
export const ORDER_BEGINNING_MAX_CHARS = 16 * 1024
/**
 * Content behind links: how long it is kept, the size for all clients together, and how much of it is in memory until it is
 * written.
 */
export const ORDER_PIECES_MS = 60 * 60 * 1000
export const ORDER_PIECES_KEPT_MAX_BYTES = 512 * 1024 * 1024
export const ORDER_PIECES_HELD_MAX_BYTES = 128 * 1024 * 1024
/** Agent requests of one client: per minute, at once, and waiting; and of all clients together. */
export const ORDERS_PER_MINUTE = 120
export const ORDERS_RUNNING_MAX = 4
export const ORDERS_WAITING_MAX = 128
export const ORDERS_RUNNING_IN_ALL_MAX = 8
export const ORDERS_WAITING_IN_ALL_MAX = 512
/** The largest value that a configuration may set for these. */
export const ORDERS_CEILING = 10_000
/** Messages and media of all requests under way: the largest one, and some more. */
export const ORDERS_HELD_MAX_BYTES = 256 * 1024 * 1024
/** Clients whose quota is remembered. */
export const ORDER_CLIENTS_MAX = 1_024
/** How often a client gets a sign of life of a request, and progress of text that is being written. */
export const ORDER_ALIVE_MS = 10_000
export const ORDER_PROGRESS_EVERY_CHARS = 2_000
/** How often the gateway may occur in one chain of agent requests. */
export const ORDER_CHAIN_MAX_DEPTH = 3
/** How long a request from a gateway waits to be recognized as a call that is under way there, and how often that is checked. */
export const ORDER_TOLD_MS = 1_000
export const ORDER_TOLD_EVERY_MS = 50
/** How long a request of a dead process counts as under way. */
export const ORDER_LEFT_MS = 600_000
/** Concurrent calls in one agent request that are agent requests themselves. */
export const ORDER_CALLS_TOLD_MAX = 64
export const ORDER_UNDERWAY_MAX_BYTES = 4 * 1024
/** How much a model without file tools is shown of an attached text file. */
export const ATTACHED_TEXT_MAX_CHARS = 200_000
/** The history of a conversation: turns by default, turns at most, and characters of each text. */
export const ORDER_HISTORY_TURNS = 20
export const ORDER_HISTORY_TURNS_MAX = 100
export const ORDER_HISTORY_TEXT_MAX_CHARS = 16 * 1024
/** A file name that came from outside. */
export const FILE_NAME_MAX_BYTES = 120
/** Clients of `mcp-server --http`, and the default port. */
export const ORDER_HTTP_CLIENTS_MAX = 64
export const ORDER_CLIENTS_FILE_MAX_BYTES = 64 * 1024
export const ORDER_PORT = 7731
