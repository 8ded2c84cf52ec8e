/**
 * The key that credentials are encrypted with, in the system's keychain, through an optional package. The same key for
 * all servers of a user; made when it is first needed.
 */
import { randomBytes } from "node:crypto"
import { KEYCHAIN_TIMEOUT_MS } from "../../../schemas/defaults/Authorization.ts"

export interface Keychain {
  readonly get: () => Promise<string | null>
  readonly set: (value: string) => Promise<void>
}

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

/** Not the kernel's keyring, which Linux falls back to: it forgets the key, and with it all credentials, at a restart. */
const OPTIONS = { linux: { store: "secret-service" } } as const

/** Rejects when it does not answer: there may be a question open that nobody sees. */
const inTime = <A>(ask: (signal: AbortSignal) => Promise<A>): Promise<A> => {
  const signal = AbortSignal.timeout(KEYCHAIN_TIMEOUT_MS)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("the keychain does not answer")), { once: true })
  })
  return Promise.race([ask(signal), late])
}

/** The keychain of this system; `undefined` where there is none, or no package to reach it. */
export const systemKeychain = async (): Promise<Keychain | undefined> => {
  try {
    // Not a name that a compiler or a bundler would want to find.
    const name: string = "@napi-rs/keyring"
    const { AsyncEntry }: Package = await import(name)
    const entry = new AsyncEntry(SERVICE, ACCOUNT, OPTIONS)
    // Some systems say only when they are asked that nobody is there.
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

/** The key that is there. */
export const readKey = async (keychain: Keychain): Promise<Buffer | undefined> => decodeKey(await keychain.get())

/** The key that is there, else a new one. For one process at a time. */
export const readOrMakeKey = async (keychain: Keychain): Promise<Buffer> => {
  const known = await readKey(keychain)
  if (known !== undefined) return known
  const key = randomBytes(KEY_BYTES)
  await keychain.set(key.toString("base64"))
  // What a keychain did not keep would be lost with this process.
  const kept = await readKey(keychain)
  if (kept === undefined || !kept.equals(key)) throw new Error("the keychain did not keep the key")
  return key
}
