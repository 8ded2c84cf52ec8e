/** The answer of an issuer that sends a browser back without a code. */

/** The codes of RFC 6749 (4.1.2.1), RFC 8707 and OpenID Connect Core (3.1.2.6). Whatever else an answer says may be anybody's words. */
const CODES: ReadonlySet<string> = new Set([
  "access_denied",
  "account_selection_required",
  "consent_required",
  "interaction_required",
  "invalid_request",
  "invalid_request_object",
  "invalid_request_uri",
  "invalid_scope",
  "invalid_target",
  "login_required",
  "registration_not_supported",
  "request_not_supported",
  "request_uri_not_supported",
  "server_error",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_response_type"
])

/** Why nobody is logged in, by the `error` of the answer. */
export const notLoggedIn = (error: string | undefined): string =>
  `the issuer did not log anybody in${error !== undefined && CODES.has(error) ? ` (${error})` : ""}`

/** The same if the person did not agree, or may not. */
export const NOT_AGREED = notLoggedIn("access_denied")
