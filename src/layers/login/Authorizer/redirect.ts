/**
 * The authorization response. It comes through the browser of the person, so anybody may have written it: only a response with our `state` is
 * read, and its issuer is compared before anything else (RFC 9207).
 */
import { timingSafeEqual } from "node:crypto"
import { REDIRECT_MAX_CHARS } from "../../../schemas/defaults/Authorization.ts"
import type { AuthorizationServer } from "./documents.ts"
import { loginNeeded, refused, type AuthProblem } from "./problem.ts"

/** `problem` if the response is an error or has no code. */
export type Redirect = { readonly code: string; readonly iss: string | undefined } | { readonly problem: AuthProblem }

export interface Expected {
  readonly state: string
  readonly authorizationServer: AuthorizationServer
  readonly tidy: (text: string) => string
}

const equal = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.byteLength === right.byteLength && timingSafeEqual(left, right)
}

/** A repeated parameter is ignored, because others may read another one of its values. */
const only = (params: URLSearchParams, name: string): string | undefined => {
  const values = params.getAll(name)
  return values.length === 1 && values[0] !== "" ? values[0] : undefined
}

export const carriesState = (params: URLSearchParams, state: string): boolean => {
  const given = only(params, "state")
  return given !== undefined && equal(given, state)
}

const strangeIssuer = (iss: string | undefined, { issuer, namesItself }: AuthorizationServer): boolean =>
  iss === undefined ? namesItself : iss !== issuer

/** Reads parameters that have our state. Nothing of a response from another issuer is shown, not even its error. */
export const readRedirect = (params: URLSearchParams, { authorizationServer, tidy }: Expected): Redirect => {
  const iss = params.has("iss") ? (only(params, "iss") ?? "") : undefined
  if (strangeIssuer(iss, authorizationServer)) {
    return { problem: refused("the answer to the login does not come from its authorization server") }
  }
  const code = only(params, "code")
  const error = only(params, "error")
  if (error !== undefined) {
    const description = only(params, "error_description")
    const words = description === undefined ? tidy(error) : `${tidy(error)}: ${tidy(description)}`
    return { problem: loginNeeded("its authorization server refused the login", words) }
  }
  return code === undefined
    ? { problem: refused("the answer to the login holds neither a code nor an error") }
    : { code, iss }
}

/**
 * What the person has pasted: the address to which they were redirected, or the code alone. A code alone has no state; PKCE then shows that it
 * belongs to this login, so it is accepted only if the response need not name the issuer.
 */
export const readPasted = (pasted: string, expected: Expected): Redirect => {
  const text = pasted.trim()
  if (text === "" || text.length > REDIRECT_MAX_CHARS)
    return { problem: loginNeeded("nothing was pasted that can be read") }
  const url = URL.parse(text)
  const params =
    url?.searchParams ??
    (/(?:^|[?&])(?:code|error|state)=/.test(text) ? new URLSearchParams(text.replace(/^\?/, "")) : undefined)
  if (params !== undefined) {
    return carriesState(params, expected.state)
      ? readRedirect(params, expected)
      : { problem: refused("what was pasted does not belong to this login") }
  }
  if (expected.authorizationServer.namesItself || !/^[\x21-\x7e]+$/.test(text)) {
    return { problem: loginNeeded("the whole address is needed that the browser was sent to, not only a code") }
  }
  return { code: text, iss: undefined }
}
