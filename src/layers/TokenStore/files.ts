/** The files of credentials: one per server, for this user alone, each replaced as a whole. */
import { randomBytes } from "node:crypto"
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises"
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

export const makeDirectory = async (directory: string): Promise<void> => {
  await mkdir(join(directory, DIRECTORY), { recursive: true, mode: 0o700 })
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

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

export const readText = async (path: string): Promise<string | undefined> => {
  const file = await open(path, "r").catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat()
    if (size > CREDENTIALS_MAX_BYTES) throw new Error("the file is too large")
    return await file.readFile("utf8")
  } finally {
    await file.close()
  }
}

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
    const { ino, mtimeMs, size } = await stat(path)
    return `${ino} ${mtimeMs} ${size}`
  } catch {
    return ""
  }
}
