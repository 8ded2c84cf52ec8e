/** How commands reach a running gateway. Defaults and limits, with their units in the names. */

/** One message of a command. The arguments of a call may be as long as an agent's. */
export const CONTROL_MESSAGE_MAX_BYTES = 4 * 1024 * 1024
export const CONTROL_MESSAGE_MAX_DEPTH = 128
export const CONTROL_MESSAGE_MAX_VALUES = 100_000
export const CONTROL_MESSAGE_MAX_PARTS = 25_000
/** Messages of all commands that have not arrived completely. Each connection has a guaranteed share. */
export const CONTROL_RECEIVING_IN_ALL_MAX_BYTES = 16 * 1024 * 1024
/** One message of a gateway to a command: the largest result fits. */
export const CONTROL_ANSWER_MAX_BYTES = 256 * 1024 * 1024
/** Connections of one gateway, and requests under way on one of them. Connections have at most this share of the open files. */
export const CONTROL_CONNECTIONS_MAX = 64
export const CONTROL_CONNECTIONS_SHARE = 0.125
export const CONTROL_REQUESTS_MAX = 64
/** Requests under way on all connections together: a change of one server is told to each that follows changes. Each has a guaranteed share. */
export const CONTROL_REQUESTS_IN_ALL_MAX = 512
/** Output that was not read yet, of all connections together; beyond that, those that have not read for longest are closed. */
export const CONTROL_UNREAD_IN_ALL_MAX_BYTES = 64 * 1024 * 1024
/** With so much unread output, a message waits; a command that reads nothing for so long is disconnected. */
export const CONTROL_UNREAD_MAX_BYTES = 1024 * 1024
export const CONTROL_UNREAD_MS = 30_000
/** A command gives up on a gateway that does not answer its first request. */
export const CONTROL_HELLO_MS = 10_000
/** The runtime of an agent that a command asked for stays for this time after the last request. */
export const CONTROL_AGENT_KEPT_MS = 60_000
/** Reports of progress that wait for a slow reader; more are left out. */
export const CONTROL_PROGRESS_WAITING_MAX = 16
/** The longest path of a socket that every system accepts, in bytes: macOS has 104 with the final zero, Linux 108. */
export const SOCKET_PATH_MAX_BYTES = 103
/** The file that describes a running gateway, and how many are looked at. */
export const GATEWAY_FILE_MAX_BYTES = 16 * 1024
export const GATEWAY_FILES_MAX = 1_024
/** Figures about calls: the calls of each server whose durations are remembered, and servers. The oldest are forgotten. */
export const FIGURES_CALLS_MAX = 1_024
export const FIGURES_SERVERS_MAX = 512
/** The time that durations, and calls per minute, are computed from. */
export const FIGURES_WINDOW_MS = 15 * 60_000
export const FIGURES_SECONDS = 60
/** Characters of a token, as an estimate. */
export const TOKEN_CHARS = 4
/** How often `top` looks. */
export const TOP_EVERY_MS = 2_000
/** Lines or records of one answer about the past. */
export const PAST_LIMIT_MAX = 1_000
/** The text of a configuration, as it crosses the contract. */
export const CONFIG_TEXT_MAX_CHARS = 1024 * 1024
/** Records of the audit log, and lines about servers, that a gateway remembers for pages that come back, and for traces of calls. */
export const KEPT_RECORDS_MAX = 4_096
export const KEPT_LINES_MAX = 2_048
/** How many of them a page gets at a time. */
export const KEPT_PIECE = 256
/** How often figures are told while somebody listens. */
export const FIGURES_EVERY_MS = 2_000
/** Pictures of calls: minutes that are remembered, and tools; the tools that were called least recently are forgotten. */
export const HISTORY_MINUTES = 60
export const TALLIES_TOOLS_MAX = 1_024
/** Tools and servers in one answer. */
export const TALLIES_SHOWN_MAX = 256
/** The life of servers: moments of each that are remembered, and servers. */
export const LIFE_EVENTS_MAX = 256
export const LIFE_SERVERS_MAX = 512
/** The reason of a state. */
export const LIFE_REASON_MAX_CHARS = 500
/** What of one server is shown. */
export const SERVER_PROCESSES_MAX = 64
export const SERVER_COMMAND_MAX_CHARS = 1_000
export const SERVER_DIAGNOSTICS_MAX = 50
/** The text of one definition that waits for a decision, and of all in one answer. */
export const PINS_TEXT_MAX_CHARS = 256 * 1024
export const PINS_ANSWER_MAX_CHARS = 8 * 1024 * 1024
/** Values that are masked in texts of the configuration; the oldest masks are forgotten. */
export const CONFIG_MASKS_MAX = 4_096
/** Servers of other programs in one answer. */
export const IMPORT_SHOWN_MAX = 500
/** How often a gateway looks whether the files are still there by which commands find it. */
export const CONTROL_LOOK_MS = 5_000
