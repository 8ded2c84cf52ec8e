/** Editors, over ACP. Defaults and limits, with their units in the names. */
import type { MessageBounds } from "../connection/JsonMessage.ts"
import { JSON_MAX_DEPTH, JSON_MAX_NODES, JSON_MAX_PARTS } from "./Wire.ts"

/** What an ACP client may bring for one session. */
export const ACP_MAX_SERVERS = 10
export const ACP_MAX_TOOLS = 100
/** From this many processes of all open sessions on, the log warns: each is a program on this machine. */
export const ACP_PROCESSES_WARNED = 5
export const ACP_SERVERS_CEILING = 100
export const ACP_TOOLS_CEILING = 1_000
/** How long a call of a client's server may be silent: editors bring slow servers and cannot configure this for each. */
export const ACP_TOOL_TIMEOUT_MS = 120_000
/** Open sessions of one client. */
export const ACP_SESSIONS_MAX = 256
/** Requests that are answered at once: a turn in every session, and as many others. */
export const ACP_REQUESTS_MAX = 512
/** Time for the answers to requests that a signal has ended. */
export const ACP_LAST_ANSWERS_MS = 1_000
/** The memory of these requests together (a larger one is answered alone), and of the requests that opened sessions. */
export const ACP_RECEIVING_MAX_BYTES = 96 * 1024 * 1024
export const ACP_OPENED_WITH_MAX_BYTES = 32 * 1024 * 1024
/** Sessions on one page of the list. */
export const ACP_LIST_PAGE = 100
/**
 * One message of a client: a prompt with ten photographs of about 2 MiB in base64, which is also about what a model accepts.
 * The client delays only itself, so a message may have as many parts as one of a server.
 */
export const ACP_MESSAGE_MAX_BYTES = 32 * 1024 * 1024
export const ACP_MESSAGE_BOUNDS: MessageBounds = {
  bytes: ACP_MESSAGE_MAX_BYTES,
  depth: JSON_MAX_DEPTH,
  nodes: JSON_MAX_NODES,
  parts: JSON_MAX_PARTS
}
/** How long the first message of a session waits for its servers. */
export const ACP_SERVERS_WAIT_MS = 30_000
/** After this time the person is told which servers a message waits for. */
export const ACP_SERVERS_SILENT_MS = 2_000
/** Entries of `args`, `env` and `headers` of a client's server, and characters of each. */
export const ACP_LIST_MAX_ITEMS = 1_000
export const ACP_TEXT_MAX_CHARS = 128 * 1024
/** Changes of its tools that a session reports: a server may change them as often as it likes. */
export const ACP_CHANGES_TOLD_MAX = 20
/** Concurrent calls of servers that the client itself provides over the ACP connection, and bytes of each. */
export const ACP_TUNNEL_MAX_REQUESTS = 64
export const ACP_TUNNEL_MAX_BYTES = 8 * 1024 * 1024
