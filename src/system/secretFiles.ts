/**
 * Reads files that contain a token or a key. A file that other users can read is refused, and the error says what to do. A file of an
 * administrator or a container that nobody here can change is accepted.
 */
import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { codeOf, isOthers, NO_FILE, READING, readJudged, type OwnText } from "./ownFiles.ts"

const ROOT = 0
const OTHERS_WRITE = 0o022
const OTHERS = 0o077
const WRITE = 0o222

export interface SecretStats {
  readonly mode: number
  readonly uid: number
}

/** Whether this process can write the file; `read-only` if the file system allows nobody to. */
export type Writable = "yes" | "no" | "read-only"

/** `undefined` if nothing is wrong. */
export const secretFault = (path: string, { mode, uid }: SecretStats, writable: Writable): string | undefined => {
  const isRoots = uid === ROOT
  if (!isRoots && isOthers({ uid })) return "the file belongs to another user"
  if ((mode & OTHERS_WRITE) !== 0) return `the file can be written by others: chmod 600 ${path}`
  if ((mode & OTHERS) === 0 || writable === "read-only") return undefined
  // Secrets are mounted into containers like this: /run/secrets/NAME belongs to root, with mode 0444.
  if (isRoots && (writable === "no" || (mode & WRITE) === 0)) return undefined
  return `the file can be read by others: chmod 600 ${path}`
}

const writableAt = (path: string): Promise<Writable> =>
  access(path, constants.W_OK).then(
    () => "yes",
    (error: unknown) => (codeOf(error) === "EROFS" ? "read-only" : "no")
  )

/** Links are followed: whoever names the file decides. */
const FOLLOWING = READING & ~(constants.O_NOFOLLOW ?? 0)

const read = (path: string, maxBytes: number, flags: number): Promise<OwnText | undefined> =>
  readJudged(path, maxBytes, flags, async (stats) => {
    if (!stats.isFile()) return NO_FILE
    return process.platform === "win32" ? undefined : secretFault(path, stats, await writableAt(path))
  })

/** Reads a file that somebody has named. `undefined` if there is none; rejects with `NotOurs` if it must not be used. */
export const readSecret = (path: string, maxBytes: number): Promise<OwnText | undefined> =>
  read(path, maxBytes, FOLLOWING)

/** The same for a file that this program has made: a link is not followed. */
export const readOwnSecret = (path: string, maxBytes: number): Promise<OwnText | undefined> =>
  read(path, maxBytes, READING)
