/** The files of credentials: one per server, for this user alone, each replaced as a whole. */
import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { join } from "node:path"
import { CREDENTIALS_MAX_BYTES } from "../../schemas/Defaults.ts"
import { identityKey, type ServerIdentity } from "../../schemas/Credentials.ts"
import * as OwnFiles from "../../system/ownFiles.ts"

const DIRECTORY = "credentials"
const NAME_CHARS = 40

export interface Paths {
  readonly file: string
  readonly lock: string
}

/** Named so that a person finds a server's; the rest of the name tells those apart that look the same. */
export const pathsOf = (directory: string, identity: ServerIdentity): Paths => {
  const name = identity.server.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS)
  const file = join(directory, DIRECTORY, `${name}-${identityKey(identity)}.json`)
  return { file, lock: `${file}.lock` }
}

/** Of what all servers have in common. */
export const keychainLock = (directory: string): string => join(directory, DIRECTORY, "keychain.lock")

/** Also where it was there before, with whatever rights: others may not put anything into it, nor see what there is. */
export const makeDirectory = async (directory: string): Promise<void> => {
  const path = join(directory, DIRECTORY)
  OwnFiles.makeDirectory(path)
  if (process.platform === "win32") return
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    const stats = await folder.stat()
    if (OwnFiles.isOthers(stats)) throw new Error("the directory belongs to another user")
    if ((stats.mode & 0o077) !== 0) await folder.chmod(0o700)
  } finally {
    await folder.close()
  }
}

/** `undefined` where there is none; rejects where it is none of ours. */
export const readOwn = (path: string): Promise<OwnFiles.OwnText | undefined> =>
  OwnFiles.readOwn(path, CREDENTIALS_MAX_BYTES)

export const readText = async (path: string): Promise<string | undefined> => (await readOwn(path))?.text

/** Another text for every replacement; empty while there is no file. */
export const stampOf = async (path: string): Promise<string> => {
  try {
    const { ino, mtimeMs, size } = await lstat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return ""
  }
}
