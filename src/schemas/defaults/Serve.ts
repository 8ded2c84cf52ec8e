/** `mcp-live serve` and the tokens of clients. Defaults and limits, with their units in the names. */

/** Tools, resources or prompts on one page of a list for an MCP client of `serve`, and the approximate amount of text. */
export const SERVE_PAGE_ITEMS = 250
export const SERVE_PAGE_ITEMS_CEILING = 10_000
export const SERVE_PAGE_MAX_CHARS = 1024 * 1024
/** Changes of a list within this time are reported as one. */
export const SERVE_CHANGES_MS = 200
/** Kept results that one client may continue to read: the newest. */
export const SERVE_HANDLES_MAX = 10_000
/** Clients without a connection whose kept results are still theirs: those that left last. */
export const SERVE_HANDLES_LEFT_MAX = 256
/**
 * How long a server may still ask about a call that has ended: one that it has answered, and one that it may still be working
 * on. During this time its question may belong to the client of that call.
 */
export const SERVE_LATE_ANSWERED_MS = 1_000
export const SERVE_LATE_MS = 60_000
/** Clients with their own token. */
export const SERVE_CLIENTS_MAX = 64
/** Servers for single clients: of all clients together, and of each. */
export const SERVE_OWN_MAX = 256
export const SERVE_OWN_EACH_MAX = 64
export const SERVE_OWN_CEILING = 10_000
/** Such a server is stopped after this time without a call, unless its entry sets another. */
export const SERVE_OWN_IDLE_MS = 1_800_000
/** How long a session with its own servers is kept without a request under way or an open stream. */
export const SERVE_OWN_SESSION_IDLE_MS = 300_000
/** Servers of a client without any session are stopped after this time. */
export const SERVE_OWN_GONE_MS = 300_000
/** How long a list waits for a single server: clients wait for at least half a minute. */
export const ONLY_LIST_WAIT_MS = 20_000
/** Headers and variables of a server on the command line. */
export const COMMAND_LINE_WORDS_MAX = 64
/** The minimum length of a client's token, as a shorter one could be guessed; and the random bytes of a generated one. */
export const CLIENT_TOKEN_MIN_CHARS = 16
export const CLIENT_TOKEN_BYTES = 32
export const SERVE_TOKEN_FILE_MAX_BYTES = 4096
/** Within this time the first answer is sent to a client; after it, the code for its next requests is loaded. */
export const SERVE_GREETED_MS = 25
/** Time for servers to end after the last client: clients kill a program that takes longer than two seconds. */
export const SERVE_LEAVE_MS = 1_500
/** The default port of `serve --http`. */
export const SERVE_PORT = 7730
export const SERVE_HOST = "127.0.0.1"
