/**
 * `secret://keychain/SERVICE/ACCOUNT`: a password in the keychain (macOS), the Credential Manager (Windows), or the Secret Service, else the
 * keyring of the kernel (Linux). It is read with an optional package.
 */
import * as Effect from "effect/Effect"
import { loadOptional } from "../../../system/optionalPackage.ts"
import type { SecretProvider } from "./SecretProvider.ts"

/** The part of the package that is used. */
export interface Keyring {
  readonly AsyncEntry: new (
    service: string,
    account: string
  ) => { readonly getPassword: (signal?: AbortSignal) => Promise<string | null> }
}

const PACKAGE = "@napi-rs/keyring"

/** `load` loads the package. */
export const make = (
  load: Effect.Effect<Keyring, string> = loadOptional(PACKAGE, (): Promise<Keyring> => import(PACKAGE), "2")
): SecretProvider => ({
  kept: true,
  read: Effect.fnUntraced(function* (path, version) {
    if (version !== undefined) return yield* Effect.fail("keychains have no versions")
    const [service, account, ...rest] = path.split("/")
    if (service === undefined || account === undefined || rest.length > 0) {
      return yield* Effect.fail("it is not of the form secret://keychain/SERVICE/ACCOUNT")
    }
    const { AsyncEntry } = yield* load
    const password = yield* Effect.tryPromise({
      try: (signal) => new AsyncEntry(service, account).getPassword(signal),
      catch: inWords
    })
    return typeof password === "string" ? password : yield* Effect.fail(NO_ENTRY)
  })
})

const NO_ENTRY =
  process.platform === "linux"
    ? "there is no such entry in the Secret Service, or, if none is running, in the keyring of the kernel"
    : "there is no such entry in the system's keychain"

/** The message of the package is not shown: it quotes an entry that is not text, byte by byte. */
const inWords = (error: unknown): string => {
  const message = error instanceof Error ? error.message : ""
  if (/ambiguous|matched by multiple|more than one/i.test(message)) return "several entries of the keychain match"
  if (/utf-?8|encoding/i.test(message)) return "the entry is not UTF-8 text"
  if (/access|locked|denied|dismissed|prompt/i.test(message)) return "the keychain is locked, or access to it is denied"
  return "the system's keychain cannot be reached"
}
