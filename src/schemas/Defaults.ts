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

/** Shutdown of a process tree: stdin ends; what is left after this gets SIGTERM. */
export const STDIN_GRACE_MS = 1_000
/** What is left so long after the beginning gets SIGKILL. */
export const FORCE_KILL_AFTER_MS = 5_000
/** How long the system then has to end what cannot refuse. */
export const KILLED_WITHIN_MS = 1_000
/** Between two looks whether a process is gone. */
export const PROCESS_POLL_MS = 20
/** Processes of a machine that one look takes in. */
export const PROCESSES_MAX = 65_536
/** What is read of the environment of a process, and how long that may take. */
export const PROCESS_ENVIRONMENT_MAX_BYTES = 256 * 1024
export const PROCESS_READ_WAIT_MS = 500
/** How long it is remembered which files stand open here that a server would inherit. */
export const DESCRIPTORS_KNOWN_MS = 1000

/** Between two looks for processes that servers have started. */
export const PROCESS_WATCH_MS = 250
/** How long it is looked for one that starts another and ends, again and again, and how long it is chased once it is seen. */
export const PROCESS_SIGHT_MS = 8
export const PROCESS_CHASE_MS = 100
/** Windows' own program for ending a process tree. */
export const TASKKILL_WAIT_MS = 4_000
/** The longest command line that Windows' command interpreter takes. */
export const BATCH_LINE_MAX_CHARS = 8_191
/** A sandbox's own /tmp, its empty home and its shared memory, each: they lie in memory. */
export const SANDBOX_TMP_MAX_BYTES = 1024 * 1024 * 1024
/** How long the system's program for sandboxes may take to show that it works. */
export const SANDBOX_PROBE_MS = 10_000

/** One JSON-RPC message: a line on stdio, one SSE event, one decoded HTTP body. */
export const MESSAGE_MAX_BYTES = 16 * 1024 * 1024
/** What is read of an HTTP error body. */
export const HTTP_ERROR_BODY_MAX_BYTES = 64 * 1024
/** Redirects that are followed, all within one origin. */
export const REDIRECTS_MAX = 3
/** What a server supplied an address for (OAuth): one document, and the time for it. */
export const SUPPLIED_BODY_MAX_BYTES = 1024 * 1024
export const SUPPLIED_TIMEOUT_MS = 30_000
/** A host in an error. */
export const HOST_MAX_CHARS = 100
/** A session id of a Streamable HTTP server. */
export const SESSION_ID_MAX_CHARS = 1024
/** A session that is lost so soon after it replaced another one is not replaced in its turn: the connection ends. */
export const SESSION_RENEWED_MIN_MS = 60_000
/** How long a server may ask not to be asked again; a request waits no longer than `RETRY_AFTER_WAIT_MS` for it. */
export const RETRY_AFTER_MAX_MS = 300_000
export const RETRY_AFTER_WAIT_MS = 10_000
/** Before a request that changes nothing is sent once more to a server that failed on it without saying when. */
export const RESEND_PAUSE_MS = 1_000
/** Time for the last word to an HTTP server. */
export const HANG_UP_MS = 1_000
/** Before a broken stream of events is opened again: what a server may ask for at least and at most, and failures in a row. */
export const STREAM_RECONNECT_MIN_MS = 100
export const STREAM_RECONNECT_MAX_MS = 24 * 60 * 60 * 1000
export const STREAM_RECONNECT_TRIES = 2
/** The same where the server asks for no time; grows with each failure in a row. */
export const STREAM_RECONNECT_BASE_MS = 1_000
export const STREAM_RECONNECT_CAP_MS = 30_000
/** Requests that wait in one server's stdin pipe before a new one is refused. */
export const WRITE_QUEUE_MAX_BYTES = 64 * 1024 * 1024
/** Nesting of a JSON value that we are willing to walk. */
export const JSON_MAX_DEPTH = 128
export const JSON_MAX_NODES = 1_000_000
/**
 * Strings (names among them), lists and objects in the text of one message: a parser takes a hundred times as long for one of
 * them as for a number. And of a message that answers nothing that was asked.
 */
export const JSON_MAX_PARTS = 250_000
export const JSON_UNASKED_MAX_PARTS = 8_000
/** Text this short can be parsed whatever it holds. */
export const JSON_UNSEEN_MAX = 64 * 1024

/** Work on what one server writes, in a window of time, before everybody else has their turn. */
export const STREAM_TURN_MS = 2
export const STREAM_WINDOW_MS = 16
/** Work that took longer than this is followed by a rest of its own length, up to a bound. */
export const STREAM_LONG_MS = 50
export const STREAM_REST_MAX_MS = 1_000
/** Work on what a server writes without answering anything, before it is held back; and what it may owe at most. */
export const STREAM_BURST_MS = 250
export const STREAM_DEBT_MAX_MS = 500
/** From then on, of the time that passes: for one server, and for all of those together. */
export const STREAM_SHARE = 0.2
export const STREAM_TOGETHER_SHARE = 0.4
/** One that has had no turn for so long is not among those. */
export const STREAM_TOGETHER_MS = 10_000
/** What comes in more parts than this is a long message, and what a turn with one counts at most. */
export const STREAM_LONG_PARTS = 16
export const STREAM_LONG_COUNTS_MS = 125
/** What it costs to be given bytes, before any of them is looked at. */
export const STREAM_READ_MS = 0.05
/** The same for a part of a message that is too long: its memory has to be collected, and it is of no use to anybody. */
export const STREAM_SKIP_MS = 0.25
/** The same for such a part of a body that was passed on in vain, before it was known to be of no use. */
export const STREAM_UNUSABLE_MS = 1
/** What is passed on of an HTTP body at once: so much, to the end of the line, and no more than the larger. */
export const STREAM_PIECE_BYTES = 2 * 1024
export const STREAM_PIECE_MAX_BYTES = 64 * 1024
/** An event longer than this is not looked into before it is passed on. */
export const EVENT_HELD_MAX_BYTES = 64 * 1024

export const STDERR_RING_BYTES = 64 * 1024
export const STDERR_LINE_MAX = 8 * 1024
export const STDERR_LINES_PER_SECOND = 50

export const LIST_MAX_PAGES = 64
export const LIST_MAX_ITEMS = 2_000
/** Of the definitions of one list, as JSON. */
export const LIST_MAX_CHARS = 8 * 1024 * 1024
/** Trailing edge of a burst of `list_changed`, and the least time between two refreshes. */
export const LIST_CHANGED_DEBOUNCE_MS = 250
export const LIST_REFRESH_MIN_MS = 1_000

export const DESCRIPTION_MAX_CHARS = 4 * 1024
export const PARAMETER_DESCRIPTION_MAX_CHARS = 1024
export const SCHEMA_MAX_BYTES = 64 * 1024
export const SCHEMA_MAX_DEPTH = 32
export const TOOL_NAME_MAX_CHARS = 1024
/** What a server says of itself when it is greeted. */
export const INSTRUCTIONS_MAX_CHARS = 64 * 1024

/** Schemas as a model provider gets them: nesting that is read, `$ref` included, and what following `$ref` may add. */
export const SCHEMA_READ_MAX_DEPTH = 48
export const SCHEMA_READ_MAX_NODES = 50_000
export const SCHEMA_EXPANSION_MAX_CHARS = 48 * 1024
/** A description with what is said in it of lost keywords, and one of these sentences. */
export const SCHEMA_TEXT_MAX_CHARS = 2 * 1024
export const SCHEMA_NOTE_MAX_CHARS = 320
/** Choices of one enum; of more, the first are named in the description. */
export const SCHEMA_ENUM_MAX_VALUES = 200
/** Alternatives of one union. */
export const SCHEMA_UNION_MAX = 32
/** A default, an example or one choice, as JSON. */
export const SCHEMA_VALUE_MAX_CHARS = 1024
export const SCHEMA_PATTERN_MAX_CHARS = 512
/** Descriptions in a schema that is too large otherwise. */
export const SCHEMA_SHORT_TEXT_CHARS = 120
/** Work of checking one value against a schema (a few milliseconds), and schemas one within the other, `$ref` included. */
export const SCHEMA_CHECK_MAX_STEPS = 200_000
export const SCHEMA_CHECK_MAX_DEPTH = 512
/** Where a value does not fit: the inner end of the way there, and a name in it. */
export const SCHEMA_PATH_MAX_STEPS = 16
export const SCHEMA_PATH_NAME_MAX_CHARS = 32

/** Text of one result that reaches the model, over all its blocks. */
export const RESULT_MAX_BYTES = 100 * 1024
export const RESULT_MAX_BLOCKS = 256
/** One image of a result, base64 characters. */
export const IMAGE_MAX_CHARS = 8 * 1024 * 1024
/** All images of a result. */
export const IMAGES_MAX_CHARS = 16 * 1024 * 1024
export const ERROR_TEXT_MAX_CHARS = 2 * 1024

/** Everything that one runtime keeps of results that were too long, and one such result. */
export const RESULT_STORE_MAX_BYTES = 256 * 1024 * 1024
export const RESULT_STORE_ITEM_MAX_BYTES = 32 * 1024 * 1024
/** What each costs at least: a file takes room, however short. */
export const RESULT_STORE_ITEM_MIN_BYTES = 4 * 1024
/** What is kept in memory because it is not written yet, or cannot be. */
export const RESULT_STORE_HELD_MAX_BYTES = 64 * 1024 * 1024
/** What is masked and written, or searched, at once: a few milliseconds of work. */
export const KEPT_TEXT_CHUNK_CHARS = 256 * 1024
/** What one `mcp_read_more` gives, unless asked for less. */
export const READ_MORE_MAX_CHARS = 32 * 1024
/** A text to look for, the places where it is found, and what is shown on either side of each. */
export const READ_MORE_GREP_MAX_CHARS = 256
export const READ_MORE_MATCHES_MAX = 50
export const READ_MORE_AROUND_CHARS = 100

/** A resource in the agent's context is read anew after so long. */
export const RESOURCE_REFRESH_MS = 300_000
/** The block of resources in the agent's context, over all of them. */
export const RESOURCE_CONTEXT_MAX_BYTES = 64 * 1024
/** Resources of one server that go into the agent's context. */
export const RESOURCE_CONTEXT_MAX_ITEMS = 32
/** How long a context waits for a resource that it reads, and how many it reads of one server at a time. */
export const RESOURCE_CONTEXT_WAIT_MS = 2_000
export const RESOURCE_CONTEXT_CONCURRENCY = 4
/** A resource that could not be read for the context is tried again after so long. */
export const RESOURCE_CONTEXT_RETRY_MS = 30_000
/** Text of one resource in the context, when there is that much: with less it is not worth its frame. */
export const CONTEXT_BLOCK_MIN_BYTES = 256
/** Resources that `list_resources` names, unless asked for fewer. */
export const RESOURCE_LIST_MAX_ITEMS = 100
/** A resource of the list, in a line. */
export const RESOURCE_LIST_LINE_MAX_CHARS = 200
/** Values of one completion (Completion). */
export const COMPLETION_MAX_VALUES = 100
/** A suggestion that is longer cannot be shown whole and is left out. */
export const COMPLETION_VALUE_MAX_CHARS = 1024
/** Arguments of one prompt. */
export const PROMPT_ARGUMENTS_MAX = 64
/** More tools than this are searched instead of listed. */
export const TOOL_INDEX_THRESHOLD = 60
/** Tools that one search names, unless asked for fewer. */
export const TOOL_SEARCH_MAX_RESULTS = 10
/** Tools that one listing names, tools that are described at once, one line of a listing, words of a query. */
export const TOOL_LIST_MAX_RESULTS = 500
export const TOOL_DESCRIBE_MAX = 10
export const TOOL_SEARCH_LINE_MAX_CHARS = 200
export const TOOL_QUERY_MAX_WORDS = 32

/** Time a person has to approve a call, the wait for other questions included. */
export const APPROVAL_TIMEOUT_MS = 300_000
/** Of the arguments that they are shown: characters, how many of them, characters of a name. */
export const APPROVAL_ARGUMENTS_MAX_CHARS = 4 * 1024
export const APPROVAL_ARGUMENTS_MAX = 32
export const APPROVAL_NAME_MAX_CHARS = 80
/** What one approval takes that is kept, and how many are listed. */
export const APPROVAL_FILE_MAX_BYTES = 16 * 1024
export const APPROVALS_LISTED_MAX = 10_000
/** Approvals for a session that are remembered; the oldest is forgotten for a new one. */
export const APPROVALS_HELD_MAX = 4_096

/** Time a person has to answer a server's question. */
export const ELICITATION_TIMEOUT_MS = 600_000
export const SAMPLING_TIMEOUT_MS = 120_000
/** Tokens that a server may ask of the host's model at once, and completions it may ask for in a minute. */
export const SAMPLING_MAX_TOKENS = 4_096
export const SAMPLING_PER_MINUTE = 10
/** Of one sampling request: messages, content blocks, characters of text, base64 characters of images and sounds. */
export const SAMPLING_MAX_MESSAGES = 128
export const SAMPLING_MAX_BLOCKS = 256
export const SAMPLING_MAX_CHARS = 256 * 1024
export const SAMPLING_MEDIA_MAX_CHARS = 8 * 1024 * 1024
/** What is kept of a request's stop sequences and of the models that it would like. */
export const SAMPLING_STOP_SEQUENCES_MAX = 16
export const SAMPLING_MODEL_HINTS_MAX = 16
/** Questions that one server may put to the person in a minute. */
export const ELICITATION_PER_MINUTE = 30
/** Of one form: fields, and choices over all its fields. */
export const ELICITATION_MAX_FIELDS = 64
export const ELICITATION_MAX_CHOICES = 1_024
/** The name of a field, and one of its choices. */
export const ELICITATION_VALUE_MAX_CHARS = 256
/** Requests of one server that wait for an answer of the host. */
export const HOST_REQUESTS_MAX = 8
/** Rounds of `input_required` within one request. */
export const INPUT_ROUNDS_MAX = 10
/** Between two rounds in which a server asked for nothing but to be asked again. */
export const INPUT_ROUND_PAUSE_MS = 250
/** Between two looks at a task, when its server does not say, and at least. */
export const TASK_POLL_MS = 1_000
export const TASK_POLL_MIN_MS = 100
/** However seldom its server wants to be asked. */
export const TASK_POLL_MAX_MS = 60_000
/** How long a server is asked to keep a task. */
export const TASK_TTL_MS = 3_600_000
export const TASK_ID_MAX_CHARS = 1024
/** How much longer a server may take to name a task that nobody waits for any more, so that it can be cancelled. */
export const TASK_LATE_MS = 60_000

/** Time to tell a server the roots: nobody is asked for them. */
export const ROOTS_TIMEOUT_MS = 10_000
/** Requests of one server in a second, whoever answers them; what it asks beyond is not answered. */
export const HOST_REQUESTS_PER_SECOND = 256
/** Answers to an HTTP server that it has not taken: each holds a connection. */
export const ANSWERS_UNTAKEN_MAX = 64
/** Those that wait until others are taken. Beyond, its requests are not answered. */
export const ANSWERS_WAITING_MAX = 1_000
/** Time an HTTP server has to take a message that it owes no answer for. */
export const MESSAGE_TAKEN_MS = 30_000

/** A stream of announcements that ended is opened again after so long, doubled each time. */
export const LISTEN_AGAIN_MS = 1_000
export const LISTEN_AGAIN_MAX_MS = 30_000
/** Resources of one server whose changes are asked for, and how many of these requests are in flight at once. */
export const WATCHED_RESOURCES_MAX = 256
export const WATCH_CONCURRENCY = 8
/** Changes of resources that wait to be heard; the oldest go first. */
export const RESOURCE_UPDATES_QUEUED = 256
/** Complaints about one set of lists that are logged one by one. */
export const DIAGNOSTICS_LOGGED_MAX = 20

/** Calls in flight per server, and what a configuration may say at most. */
export const CALLS_IN_FLIGHT_MAX = 128
export const CALLS_IN_FLIGHT_CEILING = 10_000
/** Calls a minute of one agent to one server, and how many of them at once; what a configuration may say at most. */
export const CALLS_PER_MINUTE = 100
export const CALLS_PER_MINUTE_CEILING = 60_000
export const CALLS_BURST = 20
export const CALLS_BURST_CEILING = 10_000
export const MINUTE_MS = 60_000
/** A store of rate limits that fails is complained about once in this time. */
export const BUCKET_STORE_WARNING_MS = 60_000
/** Failures in a row after which a server is left alone, for how long, and what a configuration may say at most. */
export const CIRCUIT_FAILURES = 5
export const CIRCUIT_FAILURES_CEILING = 1_000
export const CIRCUIT_COOL_DOWN_MS = 30_000
export const CIRCUIT_COOL_DOWN_CEILING_MS = 3_600_000
/** Who is refused because somebody else is trying such a server may come back after so long. */
export const CIRCUIT_TRIAL_WAIT_MS = 1_000
/** That a server failed is forgotten when it was not called for so long. */
export const CIRCUIT_KEPT_MS = 3_600_000

/** Secrets shorter than this are not masked: masking them would shred ordinary text. */
export const SECRET_MASK_MIN_CHARS = 6
/** What may be a token by its looks has at least so many characters. */
export const SECRET_RANDOM_MIN_CHARS = 16
/** Values of servers that are gone, which are masked still; of more than that the older half is forgotten. */
export const SECRETS_RELEASED_MAX = 512
/** Texts up to this length may be the parts of one that was cut up into a list. */
export const LIST_LETTERS_MAX_CHARS = 4
/** A refusal for a secret in arguments is logged once in this time for each server and tool, and for so many of them. */
export const SECRET_REFUSAL_LOG_MS = 60_000
export const SECRET_REFUSALS_KNOWN_MAX = 1_024
/** Longer values are masked in pieces of about this size, but in no more pieces than `SECRET_PIECES_MAX`. */
export const SECRET_WHOLE_MAX_CHARS = 4 * 1024
export const SECRET_PIECES_MAX = 256
/** A value of more lines than this has its lines masked as they are, and only as a whole in every encoding. */
export const SECRET_LINES_ENCODED_MAX = 256
/** Where escapes have to be undone first, values are looked for in pieces of this size. */
export const SECRET_PART_MAX_CHARS = 128
/** Fewer bytes may stand in a list of numbers by chance. */
export const SECRET_LIST_MIN_BYTES = 8
/** How often escapes are undone within escapes when a secret is looked for. */
export const SECRET_ESCAPES_DEEP = 2
/** A key of arguments in the path that tells where a secret was found in them. */
export const ARGUMENT_PATH_KEY_MAX_CHARS = 40
/** Providers must answer within this time. */
export const SECRET_TIMEOUT_MS = 10_000
/** Values of providers that are asked over a network or by a command are kept for so long; failures, at most. */
export const SECRET_TTL_MS = 300_000
export const SECRET_FAILURE_TTL_MS = 5_000
/** References whose values are kept at once. */
export const SECRETS_KEPT_MAX = 1_024
/** What a command or an address may answer with when it is asked for a secret. */
export const SECRET_ANSWER_MAX_BYTES = 1024 * 1024
/** What is kept of what a command says to its standard error, to tell one failure from another. */
export const SECRET_COMMAND_COMPLAINT_MAX_BYTES = 64 * 1024
/** A command that has ended is waited for no longer than this, should somebody else hold its pipes. */
export const SECRET_COMMAND_PIPES_MS = 1_000
/** A provider that failed for a passing reason is asked again so often, after so long. */
export const SECRET_RETRIES = 2
export const SECRET_RETRY_MS = 750
/** How often a standby node of Vault may send a request on. */
export const VAULT_REDIRECTS_MAX = 3
/** Where AppRole is mounted when nothing else is said. */
export const VAULT_APPROLE_MOUNT = "approle"
/** A token is replaced so long before its lease ends, or a tenth of the lease before, whichever is less. */
export const VAULT_LEASE_MARGIN_MS = 30_000
/** A login that did not help against a refusal is not tried again for so long: logins may be counted. */
export const VAULT_LOGIN_PAUSE_MS = 60_000
/** How long a validation waits for each reference that it tries, and how many it tries at once. */
export const SECRET_TRIAL_MS = 30_000
export const SECRET_TRIALS_AT_ONCE = 16
/** A secret in a file. */
export const SECRET_FILE_MAX_BYTES = 1024 * 1024
/** What an error shows of a reference that could not be read. */
export const SECRET_REFERENCE_SHOWN_CHARS = 128

/** One token of an authorization server: it stands in a header. */
export const TOKEN_MAX_CHARS = 16 * 1024
/** A file of credentials. */
export const CREDENTIALS_MAX_BYTES = 256 * 1024
/** Authorization servers at which we are registered for one server; the oldest goes. */
export const REGISTERED_CLIENTS_MAX = 8
/** How long another process that renews the same tokens is waited for, and how often it is looked at. */
export const CREDENTIALS_LOCK_WAIT_MS = 60_000
export const CREDENTIALS_LOCK_POLL_MS = 50
/** So often who holds such a lock shows that it is alive. */
export const CREDENTIALS_LOCK_BEAT_MS = 20_000
/** A lock whose owner cannot be seen from here (another machine or container) counts as left behind after so long. */
export const CREDENTIALS_LOCK_AGE_MAX_MS = 180_000
/** How often a file of credentials is looked at while a server waits for a login, and while requests are sent. */
export const CREDENTIALS_WATCH_MS = 1_000
/** What is kept of the definitions of one server: what was approved, and what waits for it. */
export const PINS_FILE_MAX_BYTES = 64 * 1024 * 1024
/** Servers, by name and launch, whose definitions are listed. */
export const PINS_FILES_MAX = 4_096
/** Of these, as many as one process keeps in memory. */
export const PINS_KNOWN_MAX = 1_024
/** How often it is looked whether another process has approved something. */
export const PINS_WATCH_MS = 1_000
/** How long another process that writes approved definitions is waited for, and how often it is looked at. */
export const PINS_LOCK_WAIT_MS = 5_000
export const PINS_LOCK_POLL_MS = 20
/** A lock is held for milliseconds; one of this age was left behind. */
export const PINS_LOCK_AGE_MAX_MS = 30_000
/** Words of one text times words of the other, up to which they are compared with each other. */
export const WORD_DIFF_MAX_CELLS = 4_000_000
/** Places of one definition that are shown to differ. */
export const DEFINITION_DIFF_MAX_PLACES = 500
/** Hex digits that say which definition is meant, at least. */
export const PIN_HASH_MIN_CHARS = 8
/** Changes of definitions that one process remembers to have told. */
export const PIN_CHANGES_KNOWN_MAX = 16_384
/** Time the system's keychain has to answer; it may ask the person first. */
export const KEYCHAIN_TIMEOUT_MS = 30_000
/** A token is renewed so long before it runs out. */
export const TOKEN_RENEW_BEFORE_MS = 30_000
/** A token that is refused so soon after it was given is not renewed: the next one would be refused as well. */
export const TOKEN_RENEW_AGAIN_MS = 30_000
/** After an authorization server failed, how long it is not asked again. */
export const AUTHORIZATION_RETRY_MS = 5_000
/** After a login that came to nothing, how long a server does not have the person asked again. */
export const LOGIN_AGAIN_MS = 60_000
/** A request waits so long for a person who is logging in; the login itself goes on. */
export const LOGIN_WAIT_MS = 20_000
/** Before a token is asked for: finding out where and how, while other processes wait. */
export const RENEWAL_PREPARE_MS = 45_000
/** Servers, by name, address and configuration, of whose authorization something is kept in memory; the longest unused goes. */
export const AUTHORIZATIONS_KNOWN_MAX = 1_024
/** What is still being written down when everything is closed has so long. */
export const RENEWAL_GRACE_MS = 5_000
/** Time a person has to log in. */
export const LOGIN_TIMEOUT_MS = 300_000
/** Ports below belong to the system. */
export const REDIRECT_PORT_MIN = 1024
/** What is read of a request to the address that a login leads back to. */
export const REDIRECT_MAX_CHARS = 16 * 1024
/** Authorization servers that one server may name. */
export const AUTHORIZATION_SERVERS_MAX = 16
/** Times that a server may want more rights within `MORE_RIGHTS_WINDOW_MS`; each may ask a person. */
export const MORE_RIGHTS_MAX = 3
export const MORE_RIGHTS_WINDOW_MS = 600_000
/** Sets of rights that were not given, of which it is remembered that they were asked for. */
export const REFUSED_RIGHTS_MAX = 64
/** Scopes of one request. */
export const SCOPES_MAX = 128

/** Steps of tool use within one answer of the built-in agent. */
export const AGENT_MAX_STEPS = 24

/** Untrusted hints of a tool that we are willing to keep. */
export const ANNOTATIONS_MAX_DEPTH = 4
export const ANNOTATIONS_MAX_NODES = 64
export const URI_MAX_CHARS = 8 * 1024
/** A server's word inside a diagnostic of ours. */
export const QUOTED_NAME_MAX_CHARS = 80
/** A path that is to be copied from an error. */
export const QUOTED_PATH_MAX_CHARS = 200

/**
 * Text beyond a cut that is cleaned together with what stays, so that nothing is seen only by half: the longest secret, in
 * its longest encoding, that is still recognised where a result is cut.
 */
export const CUT_MARGIN_CHARS = 8 * 1024
/** How far a margin is sought that still has so much in it when what cannot be seen is taken out. */
export const CUT_MARGIN_LOOK_MAX_CHARS = 64 * 1024
/** Of a result that is too long, the part that goes to its beginning; the rest goes to its end. */
export const CUT_HEAD_SHARE = 0.8
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
/** One file of the audit log, what a configuration may say at least, and how many files are kept. */
export const AUDIT_FILE_MAX_BYTES = 10 * 1024 * 1024
export const AUDIT_FILE_MIN_BYTES = 64 * 1024
export const AUDIT_FILES_MAX = 5
/** Records that wait to be written; beyond, new ones are counted and dropped. */
export const AUDIT_QUEUED_MAX = 8_192
/** Records are gathered for so long or so many, and written in pieces of at most so many records or bytes. */
export const AUDIT_GATHER_MS = 250
export const AUDIT_GATHER_MAX = 4_096
export const AUDIT_BATCH_MAX = 1_024
export const AUDIT_WRITE_MAX_BYTES = 512 * 1024
/** After files could not be written they are tried again so often. */
export const AUDIT_RETRY_MS = 10_000
/** What is left when everything is closed has so long. */
export const AUDIT_CLOSE_MS = 2_000
/** A lock that is older was left behind by a process that died. */
export const AUDIT_LOCK_AGE_MAX_MS = 10_000
/** Of one record: the shape of its arguments, and its findings. */
export const AUDIT_SHAPE_MAX_CHARS = 4_096
export const AUDIT_FINDINGS_MAX = 32
/** What is read of a file of the audit log in one piece; a line that is longer is damaged. */
export const AUDIT_READ_BYTES = 256 * 1024
/** Records that are shown when nothing else is said. */
export const AUDIT_SHOWN = 50
/** How often files are looked at for new records while somebody follows them. */
export const AUDIT_FOLLOW_MS = 500
/** Pairs of server and outcome that get a metric of their own; what comes later shares one. */
export const METRIC_SERIES_MAX = 1_024
/** Conversations of the built-in agent that are remembered. */
export const AGENT_CONVERSATIONS_MAX = 256
/** Of one conversation, as JSON; the oldest turns go first. */
export const CONVERSATION_MAX_BYTES = 8 * 1024 * 1024
export const CONVERSATION_TURNS_MAX = 1_000
/** Conversations that are kept in files; the one that was used least recently goes first. */
export const CONVERSATIONS_KEPT_MAX = 500
/** The first line of such a file, which is all that a list of them needs. */
export const CONVERSATION_HEADER_MAX_BYTES = 16 * 1024
export const CONVERSATION_TITLE_MAX_CHARS = 80
/** Text of a turn that is kept although the whole turn is too large. */
export const CONVERSATION_SHORT_TEXT_CHARS = 64 * 1024
/** Of all the texts of such a turn together; what is over leaves its first words alone. */
export const CONVERSATION_WORDS_MAX_CHARS = 1024 * 1024
/** A lock of a conversation whose owner cannot be looked for from here is left behind when it is older. */
export const CONVERSATION_LOCK_AGE_MAX_MS = 24 * 60 * 60 * 1000
/** Between creating a lock and writing who did it. */
export const CONVERSATION_LOCK_UNNAMED_MAX_MS = 10_000
/** A file that was about to take its place and is older was left behind. */
export const CONVERSATION_UNFINISHED_AGE_MAX_MS = 60_000
/** A working directory. */
export const DIRECTORY_MAX_CHARS = 4_096

/** What an ACP client may bring along for one session. */
export const ACP_MAX_SERVERS = 10
export const ACP_MAX_TOOLS = 100
export const ACP_SERVERS_CEILING = 100
export const ACP_TOOLS_CEILING = 1_000
/** Sessions that one client may have open. */
export const ACP_SESSIONS_MAX = 256
/** Requests that are being answered at once: a turn in every session, and as many others. */
export const ACP_REQUESTS_MAX = 512
/** For answers to what a signal has ended. */
export const ACP_LAST_ANSWERS_MS = 1_000
/** Sessions on one page of a list. */
export const ACP_LIST_PAGE = 100
/** One message of a client. */
export const ACP_MESSAGE_MAX_BYTES = 32 * 1024 * 1024
/** How long the first message of a session waits for the session's servers. */
export const ACP_SERVERS_WAIT_MS = 30_000
/** Before the person is told which servers a message waits for. */
export const ACP_SERVERS_SILENT_MS = 2_000
/** Entries of `args`, `env` and `headers` of a client's server, and characters of each. */
export const ACP_LIST_MAX_ITEMS = 1_000
export const ACP_TEXT_MAX_CHARS = 128 * 1024
/** Changes of its tools that a session is told of: a server may change them as often as it likes. */
export const ACP_CHANGES_TOLD_MAX = 20
/** Calls at once of servers that the client itself is, over the ACP connection, and bytes of each. */
export const ACP_TUNNEL_MAX_REQUESTS = 64
export const ACP_TUNNEL_MAX_BYTES = 8 * 1024 * 1024

/** Frames that one message of a WebSocket may come in. */
export const SOCKET_MESSAGE_MAX_FRAMES = 16 * 1024

/** One frame of an OpenClaw gateway, and what it may send in one. Its own limit is 25 MiB. */
export const GATEWAY_FRAME_MAX_BYTES = 32 * 1024 * 1024
export const GATEWAY_FRAME_MAX_DEPTH = 256
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

/** What an OpenClaw gateway calls a session's tools by: one request, requests of one session, streams that wait for news. */
export const INJECTED_REQUEST_MAX_BYTES = 4 * 1024 * 1024
export const INJECTED_REQUESTS_MAX = 64
export const INJECTED_SUBSCRIPTIONS_MAX = 4
/** Connections to the listener, whoever makes them, and the time that each request has to arrive. */
export const INJECTED_CONNECTIONS_MAX = 512
export const INJECTED_RECEIVE_MS = 30_000
/** So much longer than we do, the gateway waits for a call: then our words about it arrive. */
export const INJECTED_GRACE_MS = 30_000
/** How often a change of the gateway's configuration is tried, and the pause where somebody else was faster. */
export const INJECTED_PATCH_TRIES = 8
export const INJECTED_CONFLICT_PAUSE_MS = 50
/** The same where the gateway takes no change now, doubled each time: it takes so many a minute. */
export const INJECTED_PATCH_PAUSE_MS = 1_000
export const INJECTED_PATCH_PAUSE_MAX_MS = 20_000
/** How long the end of a session waits until its tools are taken from the gateway. */
export const INJECTED_TAKEN_BACK_MS = 5_000
/** Entries of a process that is gone: how many are looked at, how many at once, and the time that an owner has to answer. */
export const INJECTED_LEFTOVERS_MAX = 1_024
export const INJECTED_PROBES_AT_ONCE = 16
export const INJECTED_PROBE_MS = 2_000
/** Tools of one node, characters of a description, and bytes of one result: the gateway's limits, with room for the frame. */
export const NODE_TOOLS_MAX = 128
export const NODE_DESCRIPTION_MAX_CHARS = 1024
export const NODE_RESULT_MAX_BYTES = 20 * 1024 * 1024
/** Calls of a node that run at the same time. */
export const NODE_CALLS_MAX = 256

/**
 * One message of an MCP client, on stdio as over HTTP: an order of ten images and five files of 15 MiB each, in base64, with
 * room for its words. Over HTTP, all that the holder of a token has sent and has no answer to.
 */
export const LISTENER_MESSAGE_MAX_BYTES = 320 * 1024 * 1024
export const LISTENER_RECEIVING_MAX_BYTES = 2 * LISTENER_MESSAGE_MAX_BYTES
/** Messages on stdio that wait for their turn. One that is larger waits alone. */
export const LISTENER_WAITING_MAX_BYTES = 1024 * 1024
/** How often, and how much, is read of a client at stdin that does not read us: only so is it known that it has left. */
export const LISTENER_PROBE_MS = 50
export const LISTENER_PROBED_MAX_BYTES = 32 * 1024 * 1024
/** What a client has not read: from here on no message of its own is taken; over HTTP, news are cut off. */
export const LISTENER_UNREAD_MAX_BYTES = 1024 * 1024
/** Answers over HTTP that the holder of a token has not read, the last one not counted; and the time it has for one that is complete. */
export const LISTENER_UNREAD_ANSWERS_MAX_BYTES = 128 * 1024 * 1024
export const LISTENER_UNREAD_MS = 60_000
/** Requests under way for the holder of a token, or for the client on stdio; those that wait for an answer of it included. */
export const LISTENER_REQUESTS_MAX = 256
/** Connections, whoever makes them, and the time that each request, and the head of it, has to arrive. */
export const LISTENER_CONNECTIONS_MAX = 512
export const LISTENER_RECEIVE_MS = 60_000
export const LISTENER_HEAD_MS = 10_000
/** Sessions in all, and of one holder of a token; and how long one is kept that nobody uses. */
export const LISTENER_SESSIONS_MAX = 256
export const LISTENER_SESSIONS_EACH_MAX = 64
export const LISTENER_SESSION_IDLE_MS = 1_800_000
/** The name that an address of ours ends with; and addresses for which something is kept, of one holder of a token. */
export const LISTENER_ONLY_MAX_CHARS = 1024
export const LISTENER_ADDRESSES_EACH_MAX = 256
/** Of a name or an origin that a door is open to, and how many there may be. */
export const DOOR_NAME_MAX_CHARS = 300
export const DOOR_NAMES_MAX = 64
/** How long a browser may remember what a page may send. */
export const LISTENER_PREFLIGHT_S = 600
/** How often a stream says that it is still there, so that nobody between takes it for dead. */
export const LISTENER_KEEP_ALIVE_MS = 15_000
/** How long a request whose client has lost its connection goes on, for it to come back; of one holder of a token so many. */
export const LISTENER_RESUME_MS = 30_000
export const LISTENER_AWAY_MAX = 64
/** When the client is to come back. */
export const LISTENER_RETRY_MS = 1_000
/** What is kept for it, of one session, and of all those of a holder of a token. */
export const LISTENER_EVENTS_MAX = 1_000
export const LISTENER_EVENTS_EACH_MAX_CHARS = 16 * 1024 * 1024
export const LISTENER_EVENTS_MAX_CHARS = 64 * 1024 * 1024
/** Resources that one session is told of, and streams of news of one holder of a token. */
export const LISTENER_SUBSCRIPTIONS_MAX = 256
export const LISTENER_URI_MAX_CHARS = 8_192
/** Of what a client calls a request, or progress. */
export const LISTENER_ID_MAX_CHARS = 1_024
/** What a client is asked in the middle of one request, at the same time; and how long its answer, or its return, is waited for. */
export const LISTENER_ASKS_MAX = 16
export const LISTENER_ASK_MS = 600_000
/**
 * Tasks of one client, ended ones that are kept for it included; how long one is kept from its beginning, where the client says
 * nothing or too much; and how often it may look. A client that takes tasks gets one for a call that takes longer than this.
 */
export const LISTENER_TASKS_MAX = 64
export const LISTENER_TASK_TTL_MS = 3_600_000
export const LISTENER_TASK_TTL_MIN_MS = 60_000
export const LISTENER_TASK_TTL_MAX_MS = 86_400_000
export const LISTENER_TASK_POLL_MS = 1_000
export const LISTENER_TASK_AFTER_MS = 500
/** Requests that wait for the result of one task. */
export const LISTENER_TASK_WAITERS_MAX = 16
/** Characters of results that are kept for the holder of a token, or for the client on stdio, until it comes back for them. */
export const LISTENER_TASK_RESULTS_MAX_CHARS = 256 * 1024 * 1024
/** Roots of a client that are heard, and how long it has to name them. */
export const LISTENER_ROOTS_MAX = 256
export const LISTENER_ROOTS_MS = 30_000
export const LISTENER_NAME_MAX_CHARS = 128
/**
 * Log messages of one call that wait for the client to read, what one of them may hold, and the level from which a client of up
 * to 2025-11-25 hears them before it has said what it wants.
 */
export const LISTENER_LOGS_MAX = 64
export const LISTENER_LOG_MAX_CHARS = 16_384
export const LISTENER_LOG_LEVEL = "info"
/** How long what was under way has to end when the client on stdio has left. */
export const LISTENER_LEAVE_MS = 1_500

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
/**
 * Text of one result that OpenClaw's plugin gives to a model: OpenClaw itself cuts what is longer than this for the smaller
 * models, and would cut the closing boundary with it. The second is what boundaries and notes around it take.
 */
export const OPENCLAW_RESULT_MAX_CHARS = 16_000
export const OPENCLAW_WRAP_CHARS = 1_500
/** Of a result's image, base64 characters: OpenClaw takes no more from a plugin. */
export const OPENCLAW_IMAGE_MAX_CHARS = 5_000_000
/** Calls and their results that are remembered until OpenClaw asks about them. */
export const OPENCLAW_CALLS_MAX = 256
/** What a configuration of OpenClaw may include: so many levels deep, as OpenClaw has it, and so many files in all. */
export const OPENCLAW_INCLUDE_DEPTH_MAX = 10
export const OPENCLAW_INCLUDES_MAX = 200
/** The port of an OpenClaw gateway that says no other. */
export const OPENCLAW_PORT = 18_789

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
/** Without a call one of them is stopped, unless its entry says another time; and those of a client that is gone. */
export const SERVE_OWN_IDLE_MS = 1_800_000
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

/** How long a program's own registry is waited for. */
export const CALLBACK_WAIT_MS = 10_000

/** The longest time a timer can wait; a longer one would fire at once. */
export const TIMER_MAX_MS = 2 ** 31 - 1
/** A configuration file larger than this is a mistake. */
export const CONFIG_MAX_BYTES = 4 * 1024 * 1024

/** Name of a server, a tool or a resource in the lines above its text. */
export const ORIGIN_MAX_CHARS = 512
/** Where every word is marked: longer runs without white space are marked within, after so many characters. */
export const MARK_WORD_MAX_CHARS = 16
export const MARK_EVERY_CHARS = 12
/** What the sentence in place of a text that is withheld says: findings, their words, and the names in it. */
export const WITHHELD_DETAILS_MAX = 8
export const WITHHELD_DETAIL_MAX_CHARS = 80
export const WITHHELD_NAME_MAX_CHARS = 64

/** Of an order: what a client may bring along (the numbers of its input schema). */
export const ORDER_IMAGES_MAX = 10
export const ORDER_FILES_MAX = 5
export const ORDER_MEDIA_MAX_BYTES = 15 * 1024 * 1024
export const ORDER_MESSAGE_MAX_CHARS = 1024 * 1024
export const ORDER_SESSION_KEY_MAX_CHARS = 128
/** Of its answer: one picture, sound or file, and everything together. */
export const ORDER_ITEM_MAX_BYTES = 20 * 1024 * 1024
export const ORDER_ANSWER_MAX_BYTES = 50 * 1024 * 1024
export const ORDER_ANSWER_PARTS_MAX = 1_000
/** Orders of one client: a minute, at once, and waiting for their turn; and of all clients together. */
export const ORDERS_PER_MINUTE = 120
export const ORDERS_RUNNING_MAX = 4
export const ORDERS_WAITING_MAX = 128
export const ORDERS_RUNNING_IN_ALL_MAX = 8
export const ORDERS_WAITING_IN_ALL_MAX = 512
/** What may be configured of these. */
export const ORDERS_CEILING = 10_000
/** What all orders that are under way hold of messages and media, in characters. */
export const ORDERS_HELD_MAX_CHARS = 512 * 1024 * 1024
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
