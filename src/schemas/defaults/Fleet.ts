/** The fleet. Defaults and limits, with their units in the names. */

/**
 * What this version of the program needs of the tables, and what nodes need of each other. A migration that takes something away which older
 * versions use raises the oldest contract that may run; everything else only adds.
 */
export const FLEET_CONTRACT = 1

/** The connections of one node to the database, one for what it is told and one for the journal of calls included. */
export const DATABASE_CONNECTIONS = 8
export const DATABASE_CONNECTIONS_MIN = 3
export const DATABASE_CONNECTIONS_MAX = 200
/**
 * Of one attempt to connect, of one statement, and of what waits for both. PostgreSQL ends a slow statement before its caller gives up: then
 * only that statement fails, and the database does not count as away.
 */
export const DATABASE_CONNECT_MS = 3_000
export const DATABASE_STATEMENT_MS = 2_500
export const DATABASE_ANSWER_MS = 3_000
/** How often it is looked whether a statement of the journal waits for longer than that. */
export const DATABASE_ANSWER_LOOK_MS = 250
/** Locks are held for moments; the server ends a transaction whose node has stopped in the middle of it. */
export const DATABASE_LOCK_MS = 2_000
export const DATABASE_IDLE_TRANSACTION_MS = 5_000
/** One version of the tables to the next. */
export const DATABASE_MIGRATION_MS = 5 * 60_000
/** While the database is away, nothing waits for it, and one connection is tried this often. */
export const DATABASE_PROBE_MS = 500
/** A transaction that others got in the way of is run again, so often. */
export const DATABASE_TRANSACTION_TRIES = 5
/** After the connection broke on which a node is told of changes, the next one is tried. */
export const DATABASE_LISTEN_RETRY_MS = 500
/** Before the system asks whether a silent connection is still there. */
export const DATABASE_KEEPALIVE_MS = 10_000
/** The oldest PostgreSQL, as its `server_version_num`. */
export const DATABASE_OLDEST_VERSION = 130_000
/** How far a clock may be from that of the database. */
export const CLOCK_OFF_MAX_MS = 60_000

/** Days for which the audit log and the journal of calls are kept. */
export const FLEET_KEEP_DAYS = 90
export const FLEET_KEEP_DAYS_MAX = 3_650
/** The secret of the peers: whoever sees a handshake can try short ones. */
export const PEERS_SECRET_MIN_CHARS = 32
/** After the ends of some calls were written, those of others are gathered for so long; and how many rows one statement writes. */
export const JOURNAL_CLOSE_MS = 50
export const JOURNAL_BATCH_MAX = 500
/** What a dead node had sent is written, or ended by the database, after this time: no statement lasts longer. */
export const JOURNAL_LATE_MS = 2 * DATABASE_STATEMENT_MS
/** How often a node looks for calls of dead nodes whose death nobody heard of. */
export const JOURNAL_SETTLE_MS = 60_000
/** How often a call of a tool that may run again runs at most: one that ends its node ends no more of them. */
export const RUNS_MAX = 3
/** What is kept of a call that may be run again elsewhere, while it is under way: so much JSON, and no longer than its client may come back. */
export const REPEAT_MAX_CHARS = 64 * 1024
export const REPEATS_KEPT_MS = 60 * 60_000
/** What a node owes to the database while that is away, on its disk: of the journal, and of the audit log. */
export const SPOOL_MAX_BYTES = 64 * 1024 * 1024
/** How often tables for the next days are made and those of days that are over are dropped, and for how many days ahead. */
export const DAY_TABLES_LOOK_MS = 60 * 60_000
export const DAY_TABLES_AHEAD = 3
/** Rows of the audit log that are read at once, and that one page of the past looks through. */
export const AUDIT_ROWS_AT_ONCE = 500
export const AUDIT_ROWS_PAGE_MAX = 20_000
