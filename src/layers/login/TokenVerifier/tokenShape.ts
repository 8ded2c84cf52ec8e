/** What a token looks like before it is checked, and by what it is remembered. */
import { hash } from "node:crypto"
import type { JWTPayload } from "jose"

/** RFC 9068 requires the first two; many issuers write the others. An identity token has an audience of its own. */
export const TYPES: ReadonlySet<string> = new Set(["at+jwt", "application/at+jwt", "jwt", ""])

export const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/

/** Printable, as RFC 6750 §2.1 has it. */
export const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/

export const digestOf = (token: string): string => hash("sha256", token, "base64url")

/** Whose token it is, as far as its claims say: a person and a client of an issuer. */
export const holderOf = ({ azp, client_id: client = azp, iss, sub }: JWTPayload): string =>
  digestOf(JSON.stringify([iss, sub, client]))
