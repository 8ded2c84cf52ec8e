/** The files of credentials: one per server, for this user only, each replaced as a whole. */
import * as Effect from "effect/Effect"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import {
  CREDENTIALS_LOCK_WAIT_MS,
  CREDENTIALS_MAX_BYTES,
  CREDENTIALS_WATCH_MS
} from "../../../schemas/defaults/Authorization.ts"
import { identityIn, identityKey, type ServerIdentity } from "../../../schemas/login/Credentials.ts"
import type { CredentialStore } from "../../../services/login/CredentialStore.ts"
import { withLock } from "../../../system/fileLock.ts"
import * as OwnFiles from "../../../system/ownFiles.ts"

const DIRECTORY = "credentials"
const NAME_CHARS = 40

interface Paths {
  readonly file: string
  readonly lock: string
}

/** The name contains that of the server, for people, and a hash that distinguishes servers. */
const pathsOf = (directory: string, identity: ServerIdentity): Paths => {
  const name = identity.server.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS)
  const file = join(directory, DIRECTORY, `${name}-${identityKey(identity)}.json`)
  return { file, lock: `${file}.lock` }
}

/** The lock for the key, which all servers share. */
const keychainLock = (directory: string): string => join(directory, DIRECTORY, "keychain.lock")

export const makeDirectory = async (directory: string): Promise<void> =>
  OwnFiles.makeOwnDirectory(join(directory, DIRECTORY))

/** `undefined` if there is no file; rejects if it is not ours. */
const readOwn = (path: string): Promise<OwnFiles.OwnText | undefined> => OwnFiles.readOwn(path, CREDENTIALS_MAX_BYTES)

const readText = async (path: string): Promise<string | undefined> => (await readOwn(path))?.text

/** Different for every replacement of the file; empty without a file. */
const stampOf = async (path: string): Promise<string> => {
  try {
    const { ino, mtimeMs, size } = await lstat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return ""
  }
}

// ---- as a store ----------------------------------------------------------------------------------------------------

/** Why something failed. */
export const words = (error: unknown): string =>
  OwnFiles.codeOf(error) === undefined && error instanceof Error ? error.message : OwnFiles.fileSystemSays(error)

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, string> => Effect.tryPromise({ try: work, catch: words })

/** Credentials in files of this data directory. */
export const fileStore = (directory: string): CredentialStore["Service"] => {
  const read = (file: string) => attempt(() => readText(file))
  return {
    key: undefined,
    read: (identity) => read(pathsOf(directory, identity).file),
    hold: Effect.fnUntraced(function* (identity) {
      const { file, lock } = pathsOf(directory, identity)
      yield* attempt(() => makeDirectory(directory))
      yield* withLock(lock, CREDENTIALS_LOCK_WAIT_MS)
      return {
        read: read(file),
        write: (text: string) => attempt(() => OwnFiles.replaceFile(file, text)),
        remove: attempt(() => OwnFiles.removeFile(file))
      }
    }),
    watch: (identity) => {
      const { file } = pathsOf(directory, identity)
      const stamp = Effect.promise(() => stampOf(file))
      return Effect.map(stamp, (before) =>
        Effect.gen(function* () {
          while ((yield* stamp) === before) yield* Effect.sleep(CREDENTIALS_WATCH_MS)
        })
      )
    },
    ofAccount: (account) =>
      attempt(async () => {
        const found: Array<ServerIdentity> = []
        for (const name of await readdir(join(directory, DIRECTORY)).catch(() => [])) {
          const path = join(directory, DIRECTORY, name)
          const identity = name.endsWith(".json") ? identityIn((await readText(path)) ?? "") : undefined
          // Under another name it would not be read.
          if (identity?.account === account && pathsOf(directory, identity).file === path) found.push(identity)
        }
        return found
      }),
    holdKey: Effect.asVoid(withLock(keychainLock(directory), CREDENTIALS_LOCK_WAIT_MS))
  }
}
