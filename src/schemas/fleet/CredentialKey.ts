/** The key that encrypts credentials in the database: every node makes the same one of the fleet's secret, and nobody else can. */
import * as Redacted from "effect/Redacted"
import { hkdfSync } from "node:crypto"

const KEY_BYTES = 32

/** In base64, as a keychain keeps it. */
export const credentialKey = (secret: Redacted.Redacted<string>, fleetId: string): string =>
  Buffer.from(hkdfSync("sha256", Redacted.value(secret), fleetId, "mcp-live credentials", KEY_BYTES)).toString("base64")
