/** Keys that every node makes alike of the fleet's secret, and nobody else can. */
import * as Redacted from "effect/Redacted"
import { hkdfSync } from "node:crypto"

const KEY_BYTES = 32

const keyFor = (secret: Redacted.Redacted<string>, fleetId: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Redacted.value(secret), fleetId, purpose, KEY_BYTES))

/** It encrypts the sessions of people on the page. */
export const pageKey = (secret: Redacted.Redacted<string>, fleetId: string): Buffer =>
  keyFor(secret, fleetId, "mcp-live page")

/** It encrypts credentials in the database. In base64, as a keychain keeps it. */
export const credentialKey = (secret: Redacted.Redacted<string>, fleetId: string): string =>
  keyFor(secret, fleetId, "mcp-live credentials").toString("base64")
