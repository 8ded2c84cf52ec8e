/** The link to an OpenClaw gateway, and its answers. Defaults and bounds, with their units in the names. */

/** Frames that one message of a WebSocket may come in. */
export const SOCKET_MESSAGE_MAX_FRAMES = 16 * 1024
/** What is read of a WebSocket in one turn of the event loop: so many frames, or so many bytes of one; and not less of it. */
export const SOCKET_TURN_MAX_FRAMES = 16
export const SOCKET_TURN_MAX_BYTES = 64 * 1024
export const SOCKET_PART_MIN_BYTES = 4 * 1024

/** One frame of an OpenClaw gateway, and what it may send in one. Its own limit is 25 MiB. */
export const GATEWAY_FRAME_MAX_BYTES = 32 * 1024 * 1024
export const GATEWAY_FRAME_MAX_DEPTH = 256
/**
 * Frames of a gateway that mean nothing (pings, what cannot be read, answers that nobody waits for): so many at once, and one more
 * in each of these times; of a large one, each of these parts counts as one more. Then the connection is cut. Before the hello there are fewer, and everything but the challenge is one.
 */
export const GATEWAY_IDLE_FRAMES_MAX = 256
export const GATEWAY_IDLE_FRAME_MS = 1_000
export const GATEWAY_IDLE_FRAME_CHARS = 1024 * 1024
export const GATEWAY_EARLY_FRAMES_MAX = 16
/** Time for one connection: dial, challenge and hello. */
export const GATEWAY_CONNECT_MS = 15_000
/** Time for the answer to a request, with the wait for a connection. */
export const GATEWAY_REQUEST_MS = 30_000
/** Requests that wait for an answer. */
export const GATEWAY_REQUESTS_MAX = 1_024
/** Events that wait for one who asked for them, and characters of them. */
export const GATEWAY_EVENTS_MAX = 16 * 1024
export const GATEWAY_EVENTS_MAX_CHARS = 64 * 1024 * 1024
/** The first pause before a gateway is dialled again, doubled each time, and the longest. */
export const GATEWAY_RETRY_BASE_MS = 500
export const GATEWAY_RETRY_CAP_MS = 30_000
/** A connection that lived so long starts these pauses over. */
export const GATEWAY_STEADY_MS = 30_000
/** How long a refusal (a wrong token) is believed before a request has it tried again. */
export const GATEWAY_REFUSED_MS = 5_000
/** A gateway that was silent for so many of its own ticks is gone; and a tick that it has not told of, or not in earnest. */
export const GATEWAY_SILENT_TICKS = 3
export const GATEWAY_TICK_MS = 30_000
export const GATEWAY_TICK_MIN_MS = 5_000
export const GATEWAY_TICK_MAX_MS = 120_000
/** What is waited for before it is dialled again, when the gateway says how long. */
export const GATEWAY_RETRY_AFTER_MAX_MS = 30_000
/** Pairings that are looked through for our own. */
export const GATEWAY_PAIRINGS_MAX = 1_000
/** Devices of one data directory: so many processes can be a node at the same time. */
export const GATEWAY_DEVICES_MAX = 64
export const GATEWAY_DEVICE_FILE_MAX_BYTES = 4 * 1024

/** All that one answer of a gateway may hold, in characters. */
export const GATEWAY_ANSWER_MAX_CHARS = 32 * 1024 * 1024
export const GATEWAY_ANSWER_CALLS_MAX = 10_000
/** How long a call waits for the event that tells of it, so that both have one id. */
export const GATEWAY_CALL_TOLD_MS = 2_000
/** After so long a person is told that the gateway is not there, and that it is still being tried. */
export const GATEWAY_AWAY_TOLD_MS = 2_000
/** For what is asked beside an answer: to end it, and what it took. */
export const GATEWAY_ASIDE_MS = 5_000
/** How long who cancels an answer waits until the gateway has ended it. */
export const GATEWAY_ABORT_WAIT_MS = 300
/** For what was said before, and for forgetting it. */
export const GATEWAY_KEPT_MS = 20_000
/** Deleted conversations that wait until their gateway can delete them, too, and bytes of what is kept of one. */
export const GATEWAY_DELETED_MAX = 1_000
export const GATEWAY_DELETED_MAX_BYTES = 1_024
/** Messages of a conversation that a gateway is asked for. */
export const GATEWAY_HISTORY_MAX = 1_000
/** What an answer of a gateway refers to: how many, how large, all together, and how long one may take. */
export const GATEWAY_MEDIA_MAX = 32
export const GATEWAY_MEDIA_ITEM_MAX_BYTES = 20 * 1024 * 1024
export const GATEWAY_MEDIA_MAX_BYTES = 50 * 1024 * 1024
/** They are put away after the answer has ended: how long that is waited for, and how often is looked. */
export const GATEWAY_MEDIA_WAIT_MS = 8_000
export const GATEWAY_MEDIA_PAUSE_MS = 250
export const GATEWAY_DOWNLOAD_MS = 30_000
