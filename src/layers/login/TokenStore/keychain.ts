/** The encryption key of the credentials, in the keychain of the system, through an optional package. One key for all servers of a user, made when it is first needed. */
import { randomBytes } from "node:crypto"
import { KEYCHAIN_TIMEOUT_MS } from "../../../schemas/defaults/Authorization.ts"

export interface Keychain {
  readonly get: () => Promise<string | null>
  readonly set: (value: string) => Promise<void>
}

/** A keychain with this key. */
export const keychainOf = (key: string): Keychain => ({ get: async () => key, set: async () => undefined })

const [SERVICE, ACCOUNT] = ["mcp-live", "credentials"]
const KEY_BYTES = 32

interface Entry {
  readonly getPassword: (signal?: AbortSignal) => Promise<string | null | undefined>
  readonly setPassword: (password: string, signal?: AbortSignal) => Promise<void>
}

interface Package {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options: { readonly linux: { readonly store: "secret-service" } }
  ) => Entry
}

/** Not the keyring of the kernel, the fallback on Linux: it loses the key, and with it all credentials, at a restart. */
const OPTIONS = { linux: { store: "secret-service" } } as const

/** Rejects if the keychain does not answer: it may show a question that nobody sees. */
const inTime = <A>(ask: (signal: AbortSignal) => Promise<A>): Promise<A> => {
  const signal = AbortSignal.timeout(KEYCHAIN_TIMEOUT_MS)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("the keychain does not answer")), { once: true })
  })
  return Promise.race([ask(signal), late])
}

/** The keychain of this system; `undefined` if there is none, or no package for it. */
export const systemKeychain = async (): Promise<Keychain | undefined> => {
  try {
    // A variable, so that no compiler and no bundler looks for the package.
    const name: string = "@napi-rs/keyring"
    const { AsyncEntry }: Package = await import(name)
    const entry = new AsyncEntry(SERVICE, ACCOUNT, OPTIONS)
    // Some systems report only at a request that there is no keychain.
    await inTime((signal) => entry.getPassword(signal))
    return {
      get: async () => (await inTime((signal) => entry.getPassword(signal))) ?? null,
      set: (value) => inTime((signal) => entry.setPassword(value, signal))
    }
  } catch {
    return undefined
  }
}

const decodeKey = (text: string | null): Buffer | undefined => {
  const key = text === null ? undefined : Buffer.from(text, "base64")
  return key?.byteLength === KEY_BYTES ? key : undefined
}

/** The existing key. */
export const readKey = async (keychain: Keychain): Promise<Buffer | undefined> => decodeKey(await keychain.get())

/** The existing key, else a new one. For one process at a time. */
export const readOrMakeKey = async (keychain: Keychain): Promise<Buffer> => {
  const known = await readKey(keychain)
  if (known !== undefined) return known
  const key = randomBytes(KEY_BYTES)
  await keychain.set(key.toString("base64"))
  // A key that the keychain does not keep would be lost with this process.
  const kept = await readKey(keychain)
  if (kept === undefined || !kept.equals(key)) throw new Error("the keychain did not keep the key")
  return key
}
