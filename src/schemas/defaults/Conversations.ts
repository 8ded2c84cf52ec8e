/** The built-in agent and its conversations. Defaults and limits, with their units in the names. */

/** Steps of tool use within one answer of the built-in agent. */
export const AGENT_MAX_STEPS = 24

/** Conversations of the built-in agent in memory that nobody uses now and that are in no file: how many, and their size as JSON. */
export const AGENT_CONVERSATIONS_MAX = 256
export const AGENT_CONVERSATIONS_MAX_CHARS = 64 * 1024 * 1024
/** One conversation, as JSON; the oldest turns are dropped first. */
export const CONVERSATION_MAX_BYTES = 8 * 1024 * 1024
export const CONVERSATION_TURNS_MAX = 1_000
/** A longer one is in memory only while it is answered, although it is open. */
export const CONVERSATION_LONG_CHARS = 256 * 1024
/** Conversations that are read from their files at the same time, of all clients. */
export const CONVERSATION_READS_MAX = 4
/** Conversations that are stored in files; the least recently used is dropped first. */
export const CONVERSATIONS_KEPT_MAX = 500
/** The first line of such a file, which is all that a list needs. */
export const CONVERSATION_HEADER_MAX_BYTES = 16 * 1024
/** First lines that are read together: on a busy machine, each wait for a file takes a while. */
export const CONVERSATION_HEADERS_AT_ONCE = 32
export const CONVERSATION_TITLE_MAX_CHARS = 80
/** Text of a turn that is kept even if the whole turn is too large. */
export const CONVERSATION_SHORT_TEXT_CHARS = 64 * 1024
/** All texts of such a turn together; beyond that, only the first words are kept. */
export const CONVERSATION_WORDS_MAX_CHARS = 1024 * 1024
/** The lock of an open conversation is touched when the conversation is used, so it may be older than other locks (Locks.ts). */
export const CONVERSATION_LOCK_AGE_MAX_MS = 24 * 60 * 60 * 1000
/** A file that was about to take its place and is older was left behind. */
export const CONVERSATION_UNFINISHED_AGE_MAX_MS = 60_000
/** A path of a working directory. */
export const DIRECTORY_MAX_CHARS = 4_096
