/**
 * Why nobody could be talked to, in words, from the codes that Node and its libraries put on an error. Messages are not
 * read: they may quote a header.
 */

export interface NetworkReason {
  /** To be put behind the name of the other side: `does not answer (ECONNREFUSED)`. */
  readonly detail: string
  /** Nothing of the request was sent. */
  readonly neverSent: boolean
  /** It is the certificate that is at fault, and would be so the next time. */
  readonly certificate: boolean
}

/** Nothing when no code of the network is found on `error` or on what caused it. */
export const networkReason = (error: unknown): NetworkReason | undefined => {
  for (const code of codesOf(error)) {
    const detail = NEVER_SENT[code]
    if (detail !== undefined) return { detail: `${detail} (${code})`, neverSent: true, certificate: false }
    const certificate = certificateDetail(code)
    if (certificate !== undefined) {
      return { detail: `${certificate} (${code})`, neverSent: true, certificate: true }
    }
    if (/^ERR_SSL_.*CERTIFICATE_REQUIRED$/.test(code)) {
      return {
        detail: `asks for a certificate of ours, and we have none to show (${code})`,
        neverSent: true,
        certificate: true
      }
    }
    if (/^(?:ERR_SSL_|EPROTO$)/.test(code)) {
      return { detail: `does not speak TLS as an https address must (${code})`, neverSent: true, certificate: true }
    }
    if (BROKEN.test(code)) return { detail: `broke the connection off (${code})`, neverSent: false, certificate: false }
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

const certificateDetail = (code: string): string | undefined => {
  if (code === "CERT_HAS_EXPIRED") return "shows a certificate that has expired"
  if (code === "CERT_NOT_YET_VALID") return "shows a certificate that is not valid yet"
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "shows a certificate that is for another name"
  return /SELF_SIGNED|UNABLE_TO_|^CERT_|INVALID_CA/.test(code)
    ? "shows a certificate that is not signed by an authority trusted here"
    : undefined
}

/** The error, what caused it, and what it gathers, to a depth that no honest error reaches. */
export function* codesOf(error: unknown, depth = 0): Generator<string> {
  if (typeof error !== "object" || error === null || depth > 8) return
  const code: unknown = Reflect.get(error, "code")
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/.test(code)) yield code
  const gathered: unknown = Reflect.get(error, "errors")
  if (Array.isArray(gathered)) for (const inner of gathered.slice(0, 8)) yield* codesOf(inner, depth + 1)
  yield* codesOf(Reflect.get(error, "cause"), depth + 1)
}
