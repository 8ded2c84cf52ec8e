/** Tokens, credentials and logins. Defaults and limits, with their units in the names. */

/** One token of an authorization server: it is sent in a header. */
export const TOKEN_MAX_CHARS = 16 * 1024
/** The id of a client that registered itself, and its secret. */
export const CLIENT_TEXT_MAX_CHARS = 8 * 1024
/** One URL in the metadata of a server or its authorization server. */
export const METADATA_ADDRESS_MAX_CHARS = 2 * 1024
/** One response of an authorization server, or one metadata document, before it is parsed. */
export const AUTHORIZATION_ANSWER_MAX_CHARS = 256 * 1024
export const AUTHORIZATION_ANSWER_BOUNDS = { depth: 16, nodes: 4_096, parts: 4_096 } as const
/** Tokens of one login that are masked: the current ones and those of so many earlier ones. */
export const LOGIN_SECRETS_KEPT = 8
/** A file of credentials. */
export const CREDENTIALS_MAX_BYTES = 256 * 1024
/** Authorization servers at which we are registered for one server; the oldest is dropped. */
export const REGISTERED_CLIENTS_MAX = 8
/** How long to wait for another process that renews the same tokens. */
export const CREDENTIALS_LOCK_WAIT_MS = 60_000
/** How often a file of credentials is looked at while a server waits for a login, and while requests are sent. */
export const CREDENTIALS_WATCH_MS = 1_000
/** Time for the system's keychain to answer; it may ask the person first. */
export const KEYCHAIN_TIMEOUT_MS = 30_000
/** A token is refreshed this long before it expires. */
export const TOKEN_RENEW_BEFORE_MS = 30_000
/** A token is used for at least this time, whatever lifetime its authorization server states; it may still be refused. */
export const TOKEN_KEEP_MIN_MS = 10_000
/** Refreshes caused by refusals within `RENEWALS_WINDOW_MS`; the next one waits. */
export const RENEWALS_MAX = 4
export const RENEWALS_WINDOW_MS = 15_000
/** A token that is refused this soon after it was issued is not refreshed: the next one would be refused as well. */
export const TOKEN_RENEW_AGAIN_MS = 30_000
/** How long a failed authorization server is not asked again. */
export const AUTHORIZATION_RETRY_MS = 5_000
/** After a failed login, how long a server cannot cause another question to the person. */
export const LOGIN_AGAIN_MS = 60_000
/** How long a request waits for a person who is logging in; the login itself continues. */
export const LOGIN_WAIT_MS = 20_000
/** Time to find out how to request a token, while other processes wait. */
export const RENEWAL_PREPARE_MS = 45_000
/** Servers (by name, URL and configuration) whose authorization state is kept in memory; the least recently used is dropped. */
export const AUTHORIZATIONS_KNOWN_MAX = 1_024
/** Time to finish writing credentials when everything is closed. */
export const RENEWAL_GRACE_MS = 5_000
/** Time that a person has to log in. */
export const LOGIN_TIMEOUT_MS = 300_000
/** Lower ports belong to the system. */
export const REDIRECT_PORT_MIN = 1024
/** How much of a request to the redirect address is read. */
export const REDIRECT_MAX_CHARS = 16 * 1024
/** Authorization servers that one server may name. */
export const AUTHORIZATION_SERVERS_MAX = 16
/** How often a server may ask for more scopes within `MORE_RIGHTS_WINDOW_MS`; each time may ask a person. */
export const MORE_RIGHTS_MAX = 3
export const MORE_RIGHTS_WINDOW_MS = 600_000
/** Refused sets of scopes that are remembered. */
export const REFUSED_RIGHTS_MAX = 64
/** Scopes of one request, and the length of one. */
export const SCOPES_MAX = 128
export const SCOPE_MAX_CHARS = 256
