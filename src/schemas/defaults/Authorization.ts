/** Tokens, credentials and logins. Defaults and bounds, with their units in the names. */

/** One token of an authorization server: it stands in a header. */
export const TOKEN_MAX_CHARS = 16 * 1024
/** The id of a client that registered itself, and its secret. */
export const CLIENT_TEXT_MAX_CHARS = 8 * 1024
/** One address in the metadata of a server, or of its authorization server. */
export const METADATA_ADDRESS_MAX_CHARS = 2 * 1024
/** One answer of an authorization server, and one document of metadata, before any of it is parsed. */
export const AUTHORIZATION_ANSWER_MAX_CHARS = 256 * 1024
export const AUTHORIZATION_ANSWER_BOUNDS = { depth: 16, nodes: 4_096, parts: 4_096 } as const
/** Tokens of one login that are known as secrets: those that it has, and what they replaced, so many times. */
export const LOGIN_SECRETS_KEPT = 8
/** A file of credentials. */
export const CREDENTIALS_MAX_BYTES = 256 * 1024
/** Authorization servers at which we are registered for one server; the oldest goes. */
export const REGISTERED_CLIENTS_MAX = 8
/** How long to wait for another process that renews the same tokens. */
export const CREDENTIALS_LOCK_WAIT_MS = 60_000
/** How often a file of credentials is looked at while a server waits for a login, and while requests are sent. */
export const CREDENTIALS_WATCH_MS = 1_000
/** Time the system's keychain has to answer; it may ask the person first. */
export const KEYCHAIN_TIMEOUT_MS = 30_000
/** A token is renewed so long before it runs out. */
export const TOKEN_RENEW_BEFORE_MS = 30_000
/** A token serves for so long, whatever its authorization server says of its lifetime; it may still be refused. */
export const TOKEN_KEEP_MIN_MS = 10_000
/** So many renewals are brought about by refusals within `RENEWALS_WINDOW_MS`; the next one waits. */
export const RENEWALS_MAX = 4
export const RENEWALS_WINDOW_MS = 15_000
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
/** Scopes of one request, and the length of one. */
export const SCOPES_MAX = 128
export const SCOPE_MAX_CHARS = 256
