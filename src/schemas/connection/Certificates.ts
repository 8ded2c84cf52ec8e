/** What is wrong with the certificate of a peer, by the codes that Node and its libraries give such errors. Pure. */

export type CertificateProblem = "expired" | "early" | "revoked" | "name" | "untrusted"

const BY_CODE: ReadonlyMap<string, CertificateProblem> = new Map([
  ["CERT_HAS_EXPIRED", "expired"],
  ["CERT_NOT_YET_VALID", "early"],
  ["CERT_REVOKED", "revoked"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "name"]
])

/** Self-signed, an issuer that is missing or unknown, an authority that may not issue it, and what later versions add. */
const UNTRUSTED = /^(?:DEPTH_ZERO_)?SELF_SIGNED_|^UNABLE_TO_|^CERT_|^INVALID_CA$/

/** `undefined` if the code is not about a certificate. */
export const certificateProblem = (code: string): CertificateProblem | undefined =>
  BY_CODE.get(code) ?? (UNTRUSTED.test(code) ? "untrusted" : undefined)

/** To be put behind `its certificate`. */
export const CERTIFICATE_WORDS: Readonly<Record<CertificateProblem, string>> = {
  expired: "has expired",
  early: "is not valid yet",
  revoked: "was revoked",
  name: "is for another host",
  untrusted: "is not signed by an authority that this machine trusts"
}
