/** Issuers of access tokens that cannot be read or asked. */
import type { Check } from "../Facts.ts"

export const issuers: Check = ({ issuers: unusable = [] }) =>
  unusable.map(({ detail, issuer }) => ({
    id: "issuer-unusable",
    severity: "error",
    server: null,
    what: `The issuer ${issuer} ${detail}.`,
    why: "Nobody who logs in there is let in.",
    mend: 'Start it, or correct its entry in "clients.issuers" of the configuration.'
  }))
