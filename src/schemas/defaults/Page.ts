/** The page of a gateway. Defaults and limits, with their units in the names. */

/** The port of the page: that of last time, or any free one. */
export const PAGE_PORT = 0
/** Random bytes: of the address of the page, of a token that opens it once, and of the cookie of a browser. */
export const PAGE_PATH_BYTES = 16
export const PAGE_TOKEN_BYTES = 24
export const PAGE_COOKIE_BYTES = 32
/** How long a token can be used, and how many wait to be used: the newest. */
export const PAGE_TOKEN_MS = 10 * 60_000
export const PAGE_TOKENS_MAX = 16
/** How long a browser stays let in, and how many are for one configuration: the newest. */
export const PAGE_SESSION_MS = 30 * 24 * 60 * 60_000
export const PAGE_SESSIONS_MAX = 64
/** The file that they are kept in, and how long to wait for another process that writes it. */
export const PAGE_SESSIONS_FILE_MAX_BYTES = 64 * 1024
export const PAGE_SESSIONS_LOCK_MS = 5_000
/** Connections of browsers, and those of them that carry the contract: each open page has one. */
export const PAGE_CONNECTIONS_MAX = 64
export const PAGE_SOCKETS_MAX = 16
/** The time for the head of a request, and for all of it: requests of the page have no body. */
export const PAGE_REQUEST_MS = 10_000
/** How often an open page is asked whether it is still there; one that has not answered by the next time is disconnected. */
export const PAGE_PING_MS = 30_000
/** The files of the page, which are read into memory: how many, and their size together. */
export const PAGE_FILES_MAX = 256
export const PAGE_FILES_MAX_BYTES = 16 * 1024 * 1024
/** Answers to the pings of a browser that it has not read. */
export const SOCKET_UNREAD_MAX_BYTES = 4 * 1024 * 1024
/** The page for people: open pages of all of them, and of each. */
export const PEOPLE_SOCKETS_MAX = 512
export const PEOPLE_SOCKETS_EACH_MAX = 8
/** One message of theirs, which ask for little, and requests under way of one open page; see Control.ts for those of the operator. */
export const PEOPLE_MESSAGE_MAX_BYTES = 64 * 1024
export const PEOPLE_REQUESTS_MAX = 64
export const PEOPLE_REQUESTS_IN_ALL_MAX = 4_096
/** How long a login on the page may take, and the form with which it begins. */
export const PEOPLE_LOGIN_MS = 600_000
export const PEOPLE_FORM_MAX_CHARS = 1_024
/** Answers to logins of which it is remembered that they count no more. */
export const PEOPLE_USED_MAX = 4_096
/** A session lasts for so long at most, whatever its token says; and sessions that were ended before, as long as they would have lasted. */
export const PEOPLE_SESSION_MAX_MS = 12 * 3_600_000
export const PEOPLE_ENDED_MAX = 16_384
/** A cookie of a session has so many characters; longer ones are in several cookies, up to so many. */
export const PEOPLE_COOKIE_CHARS = 3_600
export const PEOPLE_COOKIES_MAX = 3
/** Answers to logins that are being exchanged at an issuer: anybody can send some. */
export const PEOPLE_LOGINS_AT_ONCE = 64
