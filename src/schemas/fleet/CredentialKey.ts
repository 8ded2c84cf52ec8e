/** The keys that encrypt what is secret in the database and in cookies: every node makes the same ones of the fleet's secret, and nobody else can. */
import * as Redacted from "effect/Redacted"
import { hkdfSync } from "node:crypto"

const KEY_BYTES = 32

const keyFor = (what: string, secret: Redacted.Redacted<string>, fleetId: string): Buffer =>
  Buffer.from(hkdfSync("sha256", Redacted.value(secret), fleetId, `mcp-live ${what}`, KEY_BYTES))

/** In base64, as a keychain keeps it. */
export const credentialKey = (secret: Redacted.Redacted<string>, fleetId: string): string =>
  keyFor("credentials", secret, fleetId).toString("base64")

/** For the arguments of calls that may be run again. */
export const argumentsKey = (secret: Redacted.Redacted<string>, fleetId: string): Buffer =>
  keyFor("arguments of calls", secret, fleetId)

/** For the sessions of people on the page. */
export const pageKey = (secret: Redacted.Redacted<string>, fleetId: string): Buffer => keyFor("page", secret, fleetId)
