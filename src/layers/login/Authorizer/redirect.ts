/**
 * What an authorization server sends back with a person. It comes through their browser, so anybody may have written it:
 * only what carries our `state` is read, and the issuer is compared before anything else is believed (RFC 9207).
 */
import { timingSafeEqual } from "node:crypto"
import { REDIRECT_MAX_CHARS } from "../../../schemas/defaults/Authorization.ts"
import type { AuthorizationServer } from "./documents.ts"
import { loginNeeded, refused, type AuthProblem } from "./problem.ts"

/** `problem` where the answer is one, and says that there is no code. */
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

/** A parameter that stands there twice may be read differently by others, and is read by nobody here. */
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

/** Of parameters that carry our state. Of an answer from a strange issuer nothing is shown, not even an error. */
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
 * What a person has copied: the address that they were sent to, or the code alone. A code alone carries no state; that it
 * belongs to this login is then shown by PKCE, so it is taken only where the issuer need not be named as well.
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
