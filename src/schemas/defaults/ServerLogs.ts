/** The log about servers. Defaults and limits, with their units in the names. */

/** One file, and how many are kept, for all servers and gateways of a user together. */
export const SERVER_LOG_FILE_MAX_BYTES = 5 * 1024 * 1024
export const SERVER_LOG_FILES_MAX = 4
/** The text of one line. */
export const SERVER_LOG_TEXT_MAX_CHARS = 2_000
/** Lines that wait for somebody who follows them in this process; beyond that, the oldest are left out. */
export const SERVER_LOG_WAITING_MAX = 1_024
/** Lines that are shown by default. */
export const SERVER_LOG_SHOWN = 50
