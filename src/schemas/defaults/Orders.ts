/** Orders of MCP clients. Defaults and bounds, with their units in the names. */

/** Of an order: what a client may bring along (the numbers of its input schema). */
export const ORDER_IMAGES_MAX = 10
export const ORDER_FILES_MAX = 5
export const ORDER_MEDIA_MAX_BYTES = 15 * 1024 * 1024
export const ORDER_MEDIA_IN_ALL_MAX = ORDER_IMAGES_MAX + ORDER_FILES_MAX
/**
 * One message with an order: all its media in base64, of which some senders write `+` or `/` as an escape of six bytes; and what is
 * no medium in it, where a message may be written in escapes alone.
 */
export const ORDER_REQUEST_MAX_BYTES = 384 * 1024 * 1024
export const ORDER_TEXT_MAX_BYTES = 8 * 1024 * 1024
/** What is received and not answered yet, media decoded, of one client and of all: the largest order, and room for others'. */
export const ORDER_RECEIVING_MAX_BYTES = 256 * 1024 * 1024
export const ORDER_RECEIVING_IN_ALL_MAX_BYTES = 256 * 1024 * 1024
export const ORDER_MESSAGE_MAX_CHARS = 1024 * 1024
export const ORDER_SESSION_KEY_MAX_CHARS = 128
/** Of its answer: one picture, sound or file, and everything together. */
export const ORDER_ITEM_MAX_BYTES = 20 * 1024 * 1024
export const ORDER_ANSWER_MAX_BYTES = 50 * 1024 * 1024
export const ORDER_ANSWER_PARTS_MAX = 1_000
/**
 * One result with all that stands in it, as JSON: official clients close their connection at a line of 10 MiB. What is over comes as
 * links, and what a link, its sentence and its place in the list take is this much at most.
 */
export const ORDER_RESULT_MAX_BYTES = 8 * 1024 * 1024
export const ORDER_LINK_MAX_BYTES = 2 * 1024
/** Behind one link: of a text, where a character may take six bytes as JSON; of a medium, a multiple of three. */
export const ORDER_PIECE_MAX_CHARS = 1024 * 1024
export const ORDER_PIECE_MAX_BYTES = 6 * 1024 * 1024
/** What a result shows of the first text that is behind links. */
export const ORDER_BEGINNING_MAX_CHARS = 16 * 1024
/** What is behind links: how long, how much of all clients together, and what of it is in memory because it is not written yet. */
export const ORDER_PIECES_MS = 60 * 60 * 1000
export const ORDER_PIECES_KEPT_MAX_BYTES = 512 * 1024 * 1024
export const ORDER_PIECES_HELD_MAX_BYTES = 128 * 1024 * 1024
/** Orders of one client: a minute, at once, and waiting for their turn; and of all clients together. */
export const ORDERS_PER_MINUTE = 120
export const ORDERS_RUNNING_MAX = 4
export const ORDERS_WAITING_MAX = 128
export const ORDERS_RUNNING_IN_ALL_MAX = 8
export const ORDERS_WAITING_IN_ALL_MAX = 512
/** What may be configured of these. */
export const ORDERS_CEILING = 10_000
/** What all orders that are under way hold of messages and media: the largest one, and some more. */
export const ORDERS_HELD_MAX_BYTES = 256 * 1024 * 1024
/** Clients that a quota is remembered of. */
export const ORDER_CLIENTS_MAX = 1_024
/** How often a client hears of an order in which nothing happens, and of text that is being written. */
export const ORDER_ALIVE_MS = 10_000
export const ORDER_PROGRESS_EVERY_CHARS = 2_000
/** How often the gateway may meet itself in one chain of orders. */
export const ORDER_CHAIN_MAX_DEPTH = 3
/** How long an order from a gateway waits to be known as a call of one that is under way there, and how often that is looked for. */
export const ORDER_TOLD_MS = 1_000
export const ORDER_TOLD_EVERY_MS = 50
/** How long an order of a process that is gone counts as under way. */
export const ORDER_LEFT_MS = 600_000
/** Calls at once in one order that are orders themselves. */
export const ORDER_CALLS_TOLD_MAX = 64
export const ORDER_UNDERWAY_MAX_BYTES = 4 * 1024
/** Of a text file that a person has attached: what a model without tools for files is shown of it. */
export const ATTACHED_TEXT_MAX_CHARS = 200_000
/** What is told of what was said before. */
export const ORDER_HISTORY_TURNS = 20
export const ORDER_HISTORY_TURNS_MAX = 100
export const ORDER_HISTORY_TEXT_MAX_CHARS = 16 * 1024
/** Name of a file that a stranger has chosen. */
export const FILE_NAME_MAX_BYTES = 120
/** Clients of `mcp-server --http`, and the port that is taken where none is named. */
export const ORDER_HTTP_CLIENTS_MAX = 64
export const ORDER_CLIENTS_FILE_MAX_BYTES = 64 * 1024
export const ORDER_PORT = 7731
