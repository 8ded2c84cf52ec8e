/** The files of credentials: one per server, for this user only, each replaced as a whole. */
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { CREDENTIALS_MAX_BYTES } from "../../../schemas/defaults/Authorization.ts"
import { identityKey, type ServerIdentity } from "../../../schemas/login/Credentials.ts"
import * as OwnFiles from "../../../system/ownFiles.ts"

const DIRECTORY = "credentials"
const NAME_CHARS = 40

export interface Paths {
  readonly file: string
  readonly lock: string
}

/** The name contains that of the server, for people, and a hash that distinguishes servers. */
export const pathsOf = (directory: string, identity: ServerIdentity): Paths => {
  const name = identity.server.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS)
  const file = join(directory, DIRECTORY, `${name}-${identityKey(identity)}.json`)
  return { file, lock: `${file}.lock` }
}

/** The lock for the key, which all servers share. */
export const keychainLock = (directory: string): string => join(directory, DIRECTORY, "keychain.lock")

export const makeDirectory = async (directory: string): Promise<void> =>
  OwnFiles.makeOwnDirectory(join(directory, DIRECTORY))

/** `undefined` if there is no file; rejects if it is not ours. */
export const readOwn = (path: string): Promise<OwnFiles.OwnText | undefined> =>
  OwnFiles.readOwn(path, CREDENTIALS_MAX_BYTES)

export const readText = async (path: string): Promise<string | undefined> => (await readOwn(path))?.text

/** Different for every replacement of the file; empty without a file. */
export const stampOf = async (path: string): Promise<string> => {
  try {
    const { ino, mtimeMs, size } = await lstat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return ""
  }
}
