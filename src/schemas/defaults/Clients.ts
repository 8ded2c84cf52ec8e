/** Clients that log in at an authorization server: limits and times, with their units in the names. */

/** Issuers in one configuration. */
export const ISSUERS_MAX = 16
/** A longer token is not looked at. */
export const ACCESS_TOKEN_MAX_CHARS = 16 * 1024
/** How far the clock of an issuer may be off. */
export const ISSUER_SKEW_S = 30
/** Tokens that were checked already: good ones, and bad ones. The oldest is forgotten first. */
export const TOKENS_GOOD_MAX = 4_096
export const TOKENS_BAD_MAX = 4_096
/** Tokens from one address that turn out wrong: so many at once and a minute are checked, from so many addresses. */
export const WRONG_TOKENS_BURST = 400
export const WRONG_TOKENS_PER_MINUTE = 12_000
/** The same for tokens that an issuer is asked about, which costs several times as much. */
export const WRONG_ASKED_BURST = 100
export const WRONG_ASKED_PER_MINUTE = 3_000
export const WRONG_TOKENS_ADDRESSES_MAX = 4_096
export const WRONG_TOKENS_RETRY_MS = 1_000
/** Beyond that, tokens that name a person and client who were let in: so many of each at once and a minute, for the newest of them. */
export const RENEWALS_BURST = 10
export const RENEWALS_PER_MINUTE = 10
export const RENEWALS_MAX = 4_096
/** Keys of an issuer: how many, how long they are used, and how soon an unknown key makes them be read again. */
export const ISSUER_KEYS_MAX = 64
export const ISSUER_KEYS_ANSWER_MS = 5_000
export const ISSUER_KEYS_AGE_MS = 600_000
export const ISSUER_KEYS_COOLDOWN_MS = 30_000
/** The metadata of an issuer is read again after this time. */
export const ISSUER_METADATA_AGE_MS = 3_600_000
/** After an issuer could not be reached, it is left alone for this long. */
export const ISSUER_RETRY_MS = 5_000
export const ISSUER_CONNECT_MS = 5_000
/** How long its connections stay open for the next question. */
export const ISSUER_IDLE_MS = 1_000
/** Of what it says of itself, in the log. */
export const ISSUER_QUOTE_MAX_CHARS = 256
/** How long a token without an expiry stays known after it has to be asked about again. */
export const OPEN_ENDED_KNOWN_MS = 600_000
/** How long the answer of an introspection counts, and how many run or wait at a time. */
export const INTROSPECTION_AGE_MS = 30_000
export const INTROSPECTIONS_MAX = 8
export const INTROSPECTIONS_WAITING_MAX = 256
/** The age of a DPoP proof, and how many are remembered, so that none counts twice: of all keys, and of one. */
export const DPOP_PROOF_AGE_S = 60
export const DPOP_PROOFS_MAX = 65_536
export const DPOP_PROOFS_EACH_MAX = 16_384
/** How often the streams of clients are looked at, whose token may have expired or been revoked. */
export const CLIENT_STREAMS_CHECK_MS = 15_000
/** Clients with tokens of issuers for which room is guaranteed. */
export const ISSUER_CLIENTS_ROOM = 32
/** How often the log says why tokens are refused, for each reason. */
export const REFUSALS_LOGGED_MS = 10_000
export const REFUSALS_REMEMBERED_MAX = 256
/** Values of a claim that lists groups or roles, and the characters of one. */
export const CLAIM_VALUES_MAX = 256
export const CLAIM_VALUE_MAX_CHARS = 256
/** Persons whose last token is kept, and the earlier ones of each that are masked. */
export const CALLERS_MAX = 4_096
export const CALLER_TOKENS_KEPT = 4
/** How long the page of an account waits for its person, and how many pages wait at a time. */
export const ACCOUNT_PAGE_MS = 600_000
export const ACCOUNT_PAGES_MAX = 1_024
export const ACCOUNT_PAGES_EACH_MAX = 4
/** The form of such a page. */
export const ACCOUNT_FORM_MAX_CHARS = 1_024
/** The name of a person where it is a part of a path. */
export const PERSON_SEGMENT_MAX_CHARS = 128
/** Claims that conditions of rules may look at: those of a token with more have no claims. */
export const CLAIMS_MAX_CHARS = 8_192
export const CLAIMS_MAX_DEPTH = 8
export const CLAIMS_VALUES_MAX = 512
/** Rules of clients, and what one of them may hold. */
export const CLIENT_RULES_MAX = 256
export const RULE_WHO_MAX = 256
/** A condition of a rule: characters, nodes of its syntax, how deep they are nested, and items of a list in it. */
export const CONDITION_MAX_CHARS = 1_000
export const CONDITION_NODES_MAX = 200
export const CONDITION_DEPTH_MAX = 24
export const CONDITION_LIST_MAX = 100
/** Conditions that failed, of which the log has told. */
export const RULE_FAILURES_REMEMBERED_MAX = 256
/** Clients whose identity for a server of an agent is kept; that of a further one is made again. */
export const CLIENT_IDENTITIES_MAX = 4_096
