/** Why a request got no answer, in words: our own, or those of Node or undici; nothing of the other side is quoted. */
import { CERTIFICATE_WORDS, certificateProblem } from "./Certificates.ts"

/** The code is in the cause: undici's own error says only `fetch failed`. */
const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && "code" in cause ? String(cause.code) : ""
}

/** Behind what is said of a certificate, which is always checked. */
const MORE_AUTHORITIES = "; NODE_EXTRA_CA_CERTS names a file of further authorities"
const NOT_TLS = "it does not speak TLS there; is it http:// instead of https://?"

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused; is it running?",
  ENOTFOUND: "its host name cannot be resolved",
  EAI_AGAIN: "its host name cannot be resolved",
  UND_ERR_CONNECT_TIMEOUT: "it does not accept connections",
  ENETUNREACH: "its network cannot be reached",
  EHOSTUNREACH: "its host cannot be reached",
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS
}

export const networkReason = (error: unknown): string => {
  if (!(error instanceof Error)) return "the request failed"
  const cause = error.cause
  const code = codeOf(error)
  if (Object.hasOwn(REASONS, code)) return REASONS[code]!
  const problem = certificateProblem(code)
  if (problem !== undefined)
    return `its certificate ${CERTIFICATE_WORDS[problem]}${problem === "untrusted" ? MORE_AUTHORITIES : ""}`
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message
}
