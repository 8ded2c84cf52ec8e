/** Says in words why a connection failed, from the codes that Node and its libraries put on an error. Messages are not read: they may quote a header. */
import { CERTIFICATE_WORDS, certificateProblem } from "../../../schemas/connection/Certificates.ts"

export interface NetworkReason {
  /** To be put behind the name of the peer: `does not answer (ECONNREFUSED)`. */
  readonly detail: string
  /** Nothing of the request was sent. */
  readonly neverSent: boolean
  /** The certificate is the cause, so a retry would fail too. */
  readonly certificate: boolean
}

/** `undefined` if neither the error nor its causes have a code of the network. */
export const networkReason = (error: unknown): NetworkReason | undefined => {
  for (const code of codesOf(error)) {
    const detail = NEVER_SENT[code]
    if (detail !== undefined) return { detail: `${detail} (${code})`, neverSent: true, certificate: false }
    const problem = certificateProblem(code)
    if (problem !== undefined) {
      const detail = `shows a certificate that ${CERTIFICATE_WORDS[problem]} (${code})`
      return { detail, neverSent: true, certificate: true }
    }
    if (/^ERR_SSL_.*CERTIFICATE_REQUIRED$/.test(code)) {
      return {
        detail: `requires a client certificate, and none is configured (${code})`,
        neverSent: true,
        certificate: true
      }
    }
    if (/^(?:ERR_SSL_|EPROTO$)/.test(code)) {
      return { detail: `does not speak TLS as an https address must (${code})`, neverSent: true, certificate: true }
    }
    if (BROKEN.test(code)) return { detail: `closed the connection (${code})`, neverSent: false, certificate: false }
  }
  return undefined
}

const NEVER_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: "does not answer: nobody listens there",
  ENOTFOUND: "is not known by that name",
  EAI_AGAIN: "cannot be looked up at the moment",
  EHOSTUNREACH: "cannot be reached",
  ENETUNREACH: "cannot be reached",
  ENETDOWN: "cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "cannot be reached"
}

const BROKEN =
  /^(?:ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ESOCKETTIMEDOUT|UND_ERR_[A-Z_]+|HPE_[A-Z_]+|ERR_STREAM_[A-Z_]+)$/

/** The error, its causes and the errors that it aggregates, up to a depth that no real error reaches. */
export function* codesOf(error: unknown, depth = 0): Generator<string> {
  if (typeof error !== "object" || error === null || depth > 8) return
  const code: unknown = Reflect.get(error, "code")
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) yield code
  const gathered: unknown = Reflect.get(error, "errors")
  if (Array.isArray(gathered)) for (const inner of gathered.slice(0, 8)) yield* codesOf(inner, depth + 1)
  yield* codesOf(Reflect.get(error, "cause"), depth + 1)
}
