/**
 * `secret://op/VAULT/ITEM/FIELD` or `secret://op/VAULT/ITEM/SECTION/FIELD`: a field of a 1Password item. It is read by the 1Password CLI (`op`),
 * which is signed in by a service account, a Connect server or the desktop app.
 */
import * as Effect from "effect/Effect"
import type { SecretsConfig } from "../../../schemas/secret/SecretsConfig.ts"
import type { HelperFailed, HelperResult } from "../../../system/helperProcess.ts"
import { baseEnvironment, run } from "./secretCommand.ts"
import type { ProviderContext, SecretProvider } from "./SecretProvider.ts"

const COMMAND = "op"
const NAME = "the 1Password CLI (op)"

export const make = (config: SecretsConfig["op"], { env, mask }: ProviderContext): SecretProvider => {
  const account = config.account === undefined ? [] : [`--account=${config.account}`]

  return {
    kept: true,
    read: Effect.fnUntraced(function* (path, version) {
      if (version !== undefined) return yield* Effect.fail("1Password has no versions to choose from")
      const problem = pathProblem(path)
      if (problem !== undefined) return yield* Effect.fail(problem)
      const environment = environmentOf(env)
      for (const [name, value] of Object.entries(environment)) if (CREDENTIALS.test(name)) mask(value)
      const args = ["read", "--no-newline", ...account, `op://${path}`]
      const result = yield* run({ command: COMMAND, args, env: environment }).pipe(Effect.mapError(notRun))
      return result.code === 0 ? result.stdout : yield* Effect.fail(inWords(result))
    })
  }
}

/** Behind a question mark, `op` would read another attribute of the field; behind another slash, nothing. */
const pathProblem = (path: string): string | undefined => {
  const parts = path.split("/").length
  if (parts !== 3 && parts !== 4)
    return "it is not of the form secret://op/VAULT/ITEM/FIELD, with a SECTION before FIELD if any"
  return /[?#&%]/.test(path) ? "the names in it must not contain ?, #, & or %; use IDs instead" : undefined
}

// ---- environment ---------------------------------------------------------------------------------------------------

/** Variables for the desktop app and the network. */
const SURROUNDINGS = [
  "XDG_",
  "DBUS_SESSION_BUS_ADDRESS",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
  "SSL_CERT_"
]
/** These variables change the output. */
const UNWANTED = new Set(["OP_FORMAT", "OP_DEBUG", "OP_ISO_TIMESTAMPS"])
const CREDENTIALS = /^OP_(?:SERVICE_ACCOUNT_TOKEN|CONNECT_TOKEN|SESSION)/

const environmentOf = (env: ProviderContext["env"]): Record<string, string> => {
  const given = Object.entries(baseEnvironment(env, ["OP_", ...SURROUNDINGS]))
  // Its cache would hide a changed value for a while, and leave a process behind.
  return { OP_CACHE: "false", ...Object.fromEntries(given.filter(([name]) => !UNWANTED.has(name))) }
}

// ---- failures ------------------------------------------------------------------------------------------------------

const notRun = ({ detail, missing }: HelperFailed): string =>
  missing ? `${NAME} is not installed, or not in PATH` : `${NAME} ${detail}`

/** The errors of `op`, by their wording. The first match counts; errors that quote names come first. */
const COMPLAINTS: ReadonlyArray<readonly [pattern: RegExp, words: string]> = [
  [/isn't an? item|no item|could not find item/i, "there is no such item in this vault"],
  [/more than one item matches/i, "several items of this vault have this name; use the ID of the item"],
  [/isn't a vault|could not find vault/i, `there is no such vault that ${NAME} may see`],
  [/does not have a field|isn't a field|could not find field/i, "the item has no such field"],
  [/more than one field|multiple fields/i, "several fields of the item have this name; use the ID of the field"],
  [/does not have a section|isn't a section/i, "the item has no such section"],
  [
    /invalid character in secret reference/i,
    "a name in it contains a character that 1Password does not allow there; use IDs"
  ],
  [/invalid secret reference/i, "1Password does not take it for a reference"],
  [/too many requests|rate.?limit|\(429\)/i, "1Password limits how often it may be asked; try again later"],
  [/prompt dismissed|authorization (?:timeout|denied|was denied)/i, "the request was not allowed in the 1Password app"],
  [
    /desktop app|1password app|requestdelegatedsession/i,
    `${NAME} cannot reach the 1Password app, or the app is locked`
  ],
  [
    /signed in|sign in|no accounts? (?:configured|found)|session (?:token|expired)|found no accounts?/i,
    `${NAME} is not signed in (set OP_SERVICE_ACCOUNT_TOKEN, or run: op signin)`
  ],
  [/credentials|unauthorized|\(401\)|invalid bearer token/i, "1Password refused the credentials in OP_…"],
  [/forbidden|\(403\)/i, "1Password does not allow it to who is signed in"],
  [/deadline exceeded|timed? ?out|dial tcp|no such host|network|connection refused/i, "1Password cannot be reached"]
]

/** Our own message names the reference already. */
const BY_HAND = 'to see why, run by hand: op read "op://VAULT/ITEM/FIELD"'

const inWords = ({ code, stderr }: HelperResult): string => {
  // The names in the reference are not part of the error.
  const complaint = stderr.replace(/could not read secret '[^']*':/i, "")
  return COMPLAINTS.find(([pattern]) => pattern.test(complaint))?.[1] ?? `${NAME} ended with code ${code}: ${BY_HAND}`
}
