/** Why there is no token, and what to do about it. */
import { CERTIFICATE_WORDS, certificateProblem } from "../../../schemas/connection/Certificates.ts"
import * as Data from "effect/Data"
import { AnswerTooLarge } from "./suppliedAddresses.ts"
import { AddressBlocked, RedirectBlocked, type AuthRequired } from "../../../schemas/connection/HttpError.ts"

/** `none`: the server does not use OAuth. */
export type Remedy = NonNullable<AuthRequired["remedy"]> | "none"

export class AuthProblem extends Data.TaggedError("AuthProblem")<{
  readonly remedy: Remedy
  /** In our own words. */
  readonly detail: string
  /** The error of the authorization server, sanitized. */
  readonly said?: string | undefined
}> {}

export const later = (detail: string, said?: string): AuthProblem => new AuthProblem({ remedy: "later", detail, said })
export const refused = (detail: string, said?: string): AuthProblem =>
  new AuthProblem({ remedy: "config", detail, said })
export const loginNeeded = (detail: string, said?: string): AuthProblem =>
  new AuthProblem({ remedy: "login", detail, said })

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "its host name cannot be resolved",
  EAI_AGAIN: "its host name cannot be resolved now",
  ECONNRESET: "the connection broke",
  UND_ERR_CONNECT_TIMEOUT: "it does not accept connections"
}

const networkWords = (error: unknown): string => {
  if (error instanceof Error && error.name === "TimeoutError") return "it did not answer in time"
  // undici's own errors mean that there was no answer; an answer that cannot be read gives other errors.
  if (!(error instanceof TypeError)) return "its answer cannot be read"
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : ""
  const problem = certificateProblem(code)
  return NETWORK[code] ?? (problem === undefined ? "no connection" : `its certificate ${CERTIFICATE_WORDS[problem]}`)
}

/** A request without an answer: it was not sent, or it was lost. */
export const unanswered = (error: unknown): AuthProblem => {
  const cause = error instanceof Error ? error.cause : undefined
  for (const each of [error, cause]) {
    if (each instanceof AddressBlocked) return refused(`its authorization leads to ${each.leadsTo}`)
    if (each instanceof AnswerTooLarge) return refused("its authorization answers with more than can be read")
    if (each instanceof RedirectBlocked) return refused(`its authorization server sends us elsewhere, ${each.detail}`)
  }
  return later(`its authorization server cannot be reached: ${networkWords(error)}`)
}
