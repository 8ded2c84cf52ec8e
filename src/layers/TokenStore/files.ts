/** The files of credentials: one per server, for this user alone, each replaced as a whole. */
import { randomBytes } from "node:crypto"
import { constants, type Stats } from "node:fs"
import { lstat, mkdir, open, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { CREDENTIALS_MAX_BYTES } from "../../schemas/Defaults.ts"
import { identityKey, type ServerIdentity } from "../../schemas/Credentials.ts"

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

const isOthers = ({ uid }: { readonly uid: number }): boolean =>
  process.platform !== "win32" && uid !== process.getuid?.()

/** Also where it was there before, with whatever rights: others may not put anything into it, nor see what there is. */
export const makeDirectory = async (directory: string): Promise<void> => {
  const path = join(directory, DIRECTORY)
  await mkdir(path, { recursive: true, mode: 0o700 })
  if (process.platform === "win32") return
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    const stats = await folder.stat()
    if (isOthers(stats)) throw new Error("the directory belongs to another user")
    if ((stats.mode & 0o077) !== 0) await folder.chmod(0o700)
  } finally {
    await folder.close()
  }
}

const IN_THE_WAY: ReadonlySet<unknown> = new Set(["EPERM", "EACCES", "EBUSY"])
const TRIES = 10
const PAUSE_MS = 30

/** On Windows a file that somebody is reading can be neither replaced nor removed: for a moment. */
export const persistently = async (work: () => Promise<void>): Promise<void> => {
  for (let left = TRIES; ; left--) {
    try {
      return await work()
    } catch (error) {
      const isPassing = error instanceof Error && "code" in error && IN_THE_WAY.has(error.code)
      if (process.platform !== "win32" || !isPassing || left <= 1) throw error
      await delay(PAUSE_MS)
    }
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)
const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT"

const READING = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** What a link leads to, a pipe that never ends, and what others have written or could write, is none of ours. */
const strangeness = (stats: Stats): string | undefined => {
  if (!stats.isFile()) return "it is no file"
  if (isOthers(stats)) return "the file belongs to another user"
  if (process.platform !== "win32" && (stats.mode & 0o022) !== 0) return "the file can be written by others"
  return stats.size > CREDENTIALS_MAX_BYTES ? "the file is too large" : undefined
}

export interface Text {
  readonly text: string
  /** When it was written, or touched. */
  readonly mtimeMs: number
}

/** `undefined` where there is none; rejects where it is none of ours. */
export const readOwn = async (path: string): Promise<Text | undefined> => {
  const file = await open(path, READING).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw codeOf(error) === "ELOOP" ? new Error("it is no file") : error
  })
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    const strange = strangeness(stats)
    if (strange !== undefined) throw new Error(strange)
    return { text: await file.readFile("utf8"), mtimeMs: stats.mtimeMs }
  } finally {
    await file.close()
  }
}

export const readText = async (path: string): Promise<string | undefined> => (await readOwn(path))?.text

/** Who reads meanwhile has the old file or the new one. What could not be written whole leaves the old one. */
export const replaceText = async (path: string, text: string): Promise<void> => {
  const fresh = `${path}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`
  try {
    await writeFile(fresh, text, { flag: "wx", mode: 0o600, flush: true })
    await persistently(() => rename(fresh, path))
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}

export const removeFile = (path: string): Promise<void> => persistently(() => rm(path, { force: true }))

/** Another text for every replacement; empty while there is no file. */
export const stampOf = async (path: string): Promise<string> => {
  try {
    const { ino, mtimeMs, size } = await lstat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return ""
  }
}
