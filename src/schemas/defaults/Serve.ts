/** `mcp-live serve` and the tokens of clients. Defaults and bounds, with their units in the names. */

/** Tools, resources or prompts on one page of a list that an MCP client of `serve` asks for, and about how much text. */
export const SERVE_PAGE_ITEMS = 250
export const SERVE_PAGE_ITEMS_CEILING = 10_000
export const SERVE_PAGE_MAX_CHARS = 1024 * 1024
/** Changes of a list that come within this time are told as one. */
export const SERVE_CHANGES_MS = 200
/** Kept results that one client may read on in: the newest. */
export const SERVE_HANDLES_MAX = 10_000
/**
 * How long a server may still ask about a call that has ended: one that it has answered, and one that it may still work on. Till
 * then a question of its own may be that of the client whose call it was.
 */
export const SERVE_LATE_ANSWERED_MS = 1_000
export const SERVE_LATE_MS = 60_000
/** Clients with a token of their own. */
export const SERVE_CLIENTS_MAX = 64
/** Servers that are started for one client alone: of all clients together, and of each. */
export const SERVE_OWN_MAX = 256
export const SERVE_OWN_EACH_MAX = 64
export const SERVE_OWN_CEILING = 10_000
/** Without a call one of them is stopped, unless its entry says another time. */
export const SERVE_OWN_IDLE_MS = 1_800_000
/** A client with servers of its own that has no request under way and no stream open is waited for so long. */
export const SERVE_OWN_SESSION_IDLE_MS = 300_000
/** Those of a client without any session are stopped after this. */
export const SERVE_OWN_GONE_MS = 300_000
/** How long a list waits for a server that is all there is: clients wait for half a minute at least. */
export const ONLY_LIST_WAIT_MS = 20_000
/** Headers, and variables, of a server that stands on a command line. */
export const COMMAND_LINE_WORDS_MAX = 64
/** Of a token that lets a client in: one that is shorter could be guessed; and random bytes in one that is made. */
export const CLIENT_TOKEN_MIN_CHARS = 16
export const CLIENT_TOKEN_BYTES = 32
export const SERVE_TOKEN_FILE_MAX_BYTES = 4096
/** Within this the first answer is on its way to a client, and what it asks for next can be loaded. */
export const SERVE_GREETED_MS = 25
/** How long servers have to end once nobody is served any more: clients end a program that takes longer than two seconds. */
export const SERVE_LEAVE_MS = 1_500
/** The port of `serve --http` that names none. */
export const SERVE_PORT = 7730
export const SERVE_HOST = "127.0.0.1"
