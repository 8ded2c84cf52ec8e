/**
 * Files with a token or a key in them, whoever put them there. One that other users could read is as good as told to them, so it
 * is refused with what to do about it; what an administrator or a container has put there, and nobody here can change, is taken
 * as it is.
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

/** Whether this process could write it; or nobody could, since the file system says no to all. */
export type Writable = "yes" | "no" | "read-only"

/** `undefined` where nothing is wrong. */
export const secretFault = (path: string, { mode, uid }: SecretStats, writable: Writable): string | undefined => {
  const isRoots = uid === ROOT
  if (!isRoots && isOthers({ uid })) return "the file belongs to another user"
  if ((mode & OTHERS_WRITE) !== 0) return `the file can be written by others: chmod 600 ${path}`
  if ((mode & OTHERS) === 0 || writable === "read-only") return undefined
  // As secrets are mounted into containers: /run/secrets/NAME is root's, and 0444.
  if (isRoots && (writable === "no" || (mode & WRITE) === 0)) return undefined
  return `the file can be read by others: chmod 600 ${path}`
}

const writableAt = (path: string): Promise<Writable> =>
  access(path, constants.W_OK).then(
    () => "yes",
    (error: unknown) => (codeOf(error) === "EROFS" ? "read-only" : "no")
  )

/** Where a link leads is the choice of whoever names the file. */
const FOLLOWING = READING & ~(constants.O_NOFOLLOW ?? 0)

const read = (path: string, maxBytes: number, flags: number): Promise<OwnText | undefined> =>
  readJudged(path, maxBytes, flags, async (stats) => {
    if (!stats.isFile()) return NO_FILE
    return process.platform === "win32" ? undefined : secretFault(path, stats, await writableAt(path))
  })

/** Of a file that somebody has named. `undefined` where there is none; rejects with `NotOurs` where it is not to be used. */
export const readSecret = (path: string, maxBytes: number): Promise<OwnText | undefined> =>
  read(path, maxBytes, FOLLOWING)

/** The same for one that this program has made: a link in its place is not followed. */
export const readOwnSecret = (path: string, maxBytes: number): Promise<OwnText | undefined> =>
  read(path, maxBytes, READING)
