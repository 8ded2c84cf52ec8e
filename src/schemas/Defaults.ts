/**
 * Every default of the runtime, once, with its unit in the name. Nothing else in `src/` spells these numbers.
 */

/** Time for one connection attempt: spawn or dial, handshake and discovery. */
export const CONNECT_TIMEOUT_MS = 30_000
/** Time a call may stay silent; a progress notification starts it again. */
export const CALL_TIMEOUT_MS = 60_000
/** Time a call may take at all, whatever progress it reports. */
export const CALL_MAX_MS = 600_000
/** Time a stdio server has to answer `server/discover` before it is taken for a legacy one. */
export const ERA_PROBE_MS = 5_000
/** How long a verdict "this server is legacy" is believed before the server is asked again. */
export const ERA_CACHE_MS = 24 * 60 * 60 * 1000
/** Servers of which such a verdict is kept. */
export const ERA_MEMORY_MAX = 1_000

/** First restart delay, doubled each time. */
export const RESTART_BASE_MS = 1_000
export const RESTART_CAP_MS = 30_000
/** Restarts allowed within `RESTART_WINDOW_MS` before a server is given up. */
export const MAX_RESTARTS = 5
export const RESTART_WINDOW_MS = 300_000
/** A connection that lived this long, and still answers, clears the count of restarts. */
export const HEALTHY_AFTER_MS = 60_000
/** A lazy server that had no call for this long is stopped until the next one. */
export const LAZY_IDLE_TTL_MS = 600_000

/** How long the first listing of tools waits for servers that are still connecting. */
export const FIRST_LIST_WAIT_MS = 2_000

/** Shutdown of a process tree: stdin ends, then SIGTERM to the group, then SIGKILL. */
export const STDIN_GRACE_MS = 1_000
export const FORCE_KILL_AFTER_MS = 5_000

/** One JSON-RPC message on stdio, one SSE event. */
export const MESSAGE_MAX_BYTES = 16 * 1024 * 1024
/** One decoded HTTP body. */
export const HTTP_BODY_MAX_BYTES = 32 * 1024 * 1024
/** What is read of an HTTP error body. */
export const HTTP_ERROR_BODY_MAX_BYTES = 64 * 1024
/** Requests that wait in one server's stdin pipe before a new one is refused. */
export const WRITE_QUEUE_MAX_BYTES = 64 * 1024 * 1024
/** Nesting of a JSON value that we are willing to walk. */
export const JSON_MAX_DEPTH = 128
export const JSON_MAX_NODES = 1_000_000

export const STDERR_RING_BYTES = 64 * 1024
export const STDERR_LINE_MAX = 8 * 1024
export const STDERR_LINES_PER_SECOND = 50

export const LIST_MAX_PAGES = 64
export const LIST_MAX_ITEMS = 2_000
/** Trailing edge of a burst of `list_changed`, and the least time between two refreshes. */
export const LIST_CHANGED_DEBOUNCE_MS = 250
export const LIST_REFRESH_MIN_MS = 1_000

export const DESCRIPTION_MAX_CHARS = 4 * 1024
export const PARAMETER_DESCRIPTION_MAX_CHARS = 1024
export const SCHEMA_MAX_BYTES = 64 * 1024
export const SCHEMA_MAX_DEPTH = 32
export const TOOL_NAME_MAX_CHARS = 1024

/** Text of one result that reaches the model, over all its blocks. */
export const RESULT_MAX_BYTES = 100 * 1024
export const RESULT_MAX_BLOCKS = 256
/** One image of a result, base64 characters. */
export const IMAGE_MAX_CHARS = 8 * 1024 * 1024
export const ERROR_TEXT_MAX_CHARS = 2 * 1024

/** Calls in flight per server. */
export const CALLS_IN_FLIGHT_MAX = 128

/** Secrets shorter than this are not masked: masking them would shred ordinary text. */
export const SECRET_MASK_MIN_CHARS = 6
/** Longer values are masked in pieces of about this size, but in no more pieces than `SECRET_PIECES_MAX`. */
export const SECRET_WHOLE_MAX_CHARS = 4 * 1024
export const SECRET_PIECES_MAX = 256
/** A value of more lines than this has its lines masked as they are, and only as a whole in every encoding. */
export const SECRET_LINES_ENCODED_MAX = 256
/** Providers must answer within this time. */
export const SECRET_TIMEOUT_MS = 10_000
/** A secret in a file. */
export const SECRET_FILE_MAX_BYTES = 1024 * 1024
/** What an error shows of a reference that could not be read. */
export const SECRET_REFERENCE_SHOWN_CHARS = 128

/** Steps of tool use within one answer of the built-in agent. */
export const AGENT_MAX_STEPS = 24

/** Untrusted hints of a tool that we are willing to keep. */
export const ANNOTATIONS_MAX_DEPTH = 4
export const ANNOTATIONS_MAX_NODES = 64
export const URI_MAX_CHARS = 8 * 1024
/** A server's word inside a diagnostic of ours. */
export const QUOTED_NAME_MAX_CHARS = 80

/**
 * Text beyond a cut that is cleaned together with what stays, so that nothing is seen only by half: the longest secret, in
 * its longest encoding, that is still recognised where a result is cut.
 */
export const CUT_MARGIN_CHARS = 8 * 1024
/** Of a result that is too long, the part that goes to its beginning; the rest goes to its end. */
export const CUT_HEAD_SHARE = 0.8
/** What boundaries and their lines add to a text, at most; what adds more was made longer by cleaning. */
export const BOUNDARIES_MAX_CHARS = 2 * 1024
/** What the note behind a description that was cut takes, at most. */
export const CUT_NOTE_MAX_CHARS = 40
/** A server's own words within an error; the rest of the text is ours and the boundaries. */
export const ERROR_WORDS_MAX_CHARS = 1024

/** A name, title, MIME type or progress message that is shown on one line. */
export const LABEL_MAX_CHARS = 200
/** A URI that is shown on one line. */
export const SHOWN_URI_MAX_CHARS = 512

/** One rule of a tool policy. */
export const TOOL_RULE_MAX_CHARS = 512

/** Argument shapes in the audit log: keys of one call, characters of a key, nesting. */
export const SHAPE_MAX_KEYS = 20
export const SHAPE_KEY_MAX_CHARS = 40
export const SHAPE_MAX_DEPTH = 3
/** Pairs of server and outcome that get a metric of their own; what comes later shares one. */
export const METRIC_SERIES_MAX = 1_024
/** Conversations of the built-in agent that are remembered. */
export const AGENT_CONVERSATIONS_MAX = 256

/** The longest time a timer can wait; a longer one would fire at once. */
export const TIMER_MAX_MS = 2 ** 31 - 1
/** A configuration file larger than this is a mistake. */
export const CONFIG_MAX_BYTES = 4 * 1024 * 1024

/** Name of a server, a tool or a resource in the lines above its text. */
export const ORIGIN_MAX_CHARS = 512
