/** The link to an OpenClaw gateway, and its answers. Defaults and limits, with their units in the names. */

/** Frames of one WebSocket message. */
export const SOCKET_MESSAGE_MAX_FRAMES = 16 * 1024
/** What is read of a WebSocket per turn of the event loop: this many frames, or this many bytes of one. */
export const SOCKET_TURN_MAX_FRAMES = 16
export const SOCKET_TURN_MAX_BYTES = 64 * 1024
export const SOCKET_PART_MIN_BYTES = 4 * 1024

/** One frame from an OpenClaw gateway, and its limits. The gateway's own limit is 25 MiB. */
export const GATEWAY_FRAME_MAX_BYTES = 32 * 1024 * 1024
export const GATEWAY_FRAME_MAX_DEPTH = 256
/**
 * Useless frames of a gateway (pings, unreadable ones, responses that nobody waits for): so many at once, and one more in
 * each of these times; a large one counts once more for each of these parts. Beyond that the connection is closed. Before the
 * hello the limit is lower, and everything but the challenge counts.
 */
export const GATEWAY_IDLE_FRAMES_MAX = 256
export const GATEWAY_IDLE_FRAME_MS = 1_000
export const GATEWAY_IDLE_FRAME_CHARS = 1024 * 1024
export const GATEWAY_EARLY_FRAMES_MAX = 16
/** Time for one connection: dial, challenge and hello. */
export const GATEWAY_CONNECT_MS = 15_000
/** Time for the response to a request, including the wait for a connection. */
export const GATEWAY_REQUEST_MS = 30_000
/** Requests that wait for a response. */
export const GATEWAY_REQUESTS_MAX = 1_024
/** Events that wait for their subscriber, and their characters. */
export const GATEWAY_EVENTS_MAX = 16 * 1024
export const GATEWAY_EVENTS_MAX_CHARS = 64 * 1024 * 1024
/** The first pause before connecting again, doubled each time, and the longest. */
export const GATEWAY_RETRY_BASE_MS = 500
export const GATEWAY_RETRY_CAP_MS = 30_000
/** A connection that lived this long resets these pauses. */
export const GATEWAY_STEADY_MS = 30_000
/** How long a refusal (such as a wrong token) holds before a request tries again. */
export const GATEWAY_REFUSED_MS = 5_000
/** A gateway that was silent for so many of its ticks is gone; and the tick when it announces none, or an implausible one. */
export const GATEWAY_SILENT_TICKS = 3
export const GATEWAY_TICK_MS = 30_000
export const GATEWAY_TICK_MIN_MS = 5_000
export const GATEWAY_TICK_MAX_MS = 120_000
/** The longest pause that a gateway may ask for. */
export const GATEWAY_RETRY_AFTER_MAX_MS = 30_000
/** Pairings that are searched for our own. */
export const GATEWAY_PAIRINGS_MAX = 1_000
/** Devices of one data directory: so many processes can be a node at the same time. */
export const GATEWAY_DEVICES_MAX = 64
export const GATEWAY_DEVICE_FILE_MAX_BYTES = 4 * 1024

/** One answer of a gateway in total, in characters. */
export const GATEWAY_ANSWER_MAX_CHARS = 32 * 1024 * 1024
export const GATEWAY_ANSWER_CALLS_MAX = 10_000
/** How long a call waits for the event that announces it, so that both use the same id. */
export const GATEWAY_CALL_TOLD_MS = 2_000
/** After this time a person is told that the gateway is not connected and is being tried. */
export const GATEWAY_AWAY_TOLD_MS = 2_000
/** Time for requests next to an answer: to abort it, and for its usage. */
export const GATEWAY_ASIDE_MS = 5_000
/** How long cancelling an answer waits until the gateway has ended it. */
export const GATEWAY_ABORT_WAIT_MS = 300
/** Time to read or delete earlier messages. */
export const GATEWAY_KEPT_MS = 20_000
/** Deleted conversations that wait until their gateway can delete them, and the bytes stored for one. */
export const GATEWAY_DELETED_MAX = 1_000
export const GATEWAY_DELETED_MAX_BYTES = 1_024
/** Messages of a conversation that are requested from a gateway. */
export const GATEWAY_HISTORY_MAX = 1_000
/** Media in an answer of a gateway: how many, the size of one, of all, and the time for one. */
export const GATEWAY_MEDIA_MAX = 32
export const GATEWAY_MEDIA_ITEM_MAX_BYTES = 20 * 1024 * 1024
export const GATEWAY_MEDIA_MAX_BYTES = 50 * 1024 * 1024
/** They are stored after the answer has ended: how long to wait for that, and how often to check. */
export const GATEWAY_MEDIA_WAIT_MS = 8_000
export const GATEWAY_MEDIA_PAUSE_MS = 250
export const GATEWAY_DOWNLOAD_MS = 30_000
