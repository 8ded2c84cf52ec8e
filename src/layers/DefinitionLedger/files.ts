/**
 * The files of the ledger: one for each server and way to launch it, for this user alone, each replaced as a whole. They are
 * read without suspending: a definition must not be used before it is known whether it is an approved one.
 */
import { createHash, randomBytes } from "node:crypto"
import {
  closeSync,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync
} from "node:fs"
import { rename, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { PINS_FILE_MAX_BYTES, PINS_FILES_MAX } from "../../schemas/Defaults.ts"
import { readPins, renderPins, type ServerPins } from "../../schemas/Pins.ts"

const DIRECTORY = "pins"
const NAME_CHARS = 40
const KEY_DIGITS = 16
const EXTENSION = ".json"

export const directoryOf = (dataDirectory: string): string => join(dataDirectory, DIRECTORY)

/** Named so that a person finds a server's; the rest of the name tells those apart that look the same. */
export const fileOf = (dataDirectory: string, server: string, launch: string): string => {
  const key = createHash("sha256")
    .update(JSON.stringify([server, launch]))
    .digest("hex")
  return join(directoryOf(dataDirectory), `${prefixOf(server)}${key.slice(0, KEY_DIGITS)}${EXTENSION}`)
}

const prefixOf = (server: string): string => `${server.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS)}-`

const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Of the same server, started in another way: what was written last. */
export const lastOf = (dataDirectory: string, server: string): ServerPins | undefined => {
  try {
    const prefix = join(directoryOf(dataDirectory), prefixOf(server))
    const newestFirst = listFiles(dataDirectory)
      .filter((path) => path.startsWith(prefix))
      .map((path) => ({ path, at: writtenAt(path) }))
      .toSorted((a, b) => b.at - a.at)
    for (const { path } of newestFirst) {
      const held = read(path)
      if (held._tag === "Pins" && held.pins.server === server) return held.pins
    }
    return undefined
  } catch {
    return undefined
  }
}

/** What a file holds. Of what is `Damaged` nothing is left to lose; what is `Unreadable` may be whole. */
export type Held =
  | { readonly _tag: "Pins"; readonly pins: ServerPins }
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Damaged"; readonly detail: string }
  | { readonly _tag: "Unreadable"; readonly detail: string }

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "an unknown error"

/** Without the path: it is the same for every failure, and stands in the documentation. */
export const fileSystemSays = (error: unknown): string => `the file system says ${codeOf(error)}`

const readText = (path: string): string | undefined => {
  const file = openSync(path, "r")
  try {
    return fstatSync(file).size > PINS_FILE_MAX_BYTES ? undefined : readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}

export const read = (path: string): Held => {
  try {
    const text = readText(path)
    if (text === undefined) return { _tag: "Unreadable", detail: "the file is too large" }
    const pins = readPins(text)
    return pins === undefined ? { _tag: "Damaged", detail: "the file is damaged" } : { _tag: "Pins", pins }
  } catch (error) {
    const code = codeOf(error)
    return code === "ENOENT" ? { _tag: "Nothing" } : { _tag: "Unreadable", detail: fileSystemSays(error) }
  }
}

/** Another text for every replacement, and for another right to read it; empty while there is no file. */
export const stampOf = (path: string): string => {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? "" : `${found.ino} ${found.ctimeNs} ${found.mtimeNs} ${found.size}`
  } catch (error) {
    return codeOf(error)
  }
}

export const makeDirectory = (dataDirectory: string): void => {
  makeLevel(directoryOf(dataDirectory))
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Level by level: `recursive` never comes back where the system says that a new directory has no parent, as in /proc. */
const makeLevel = (path: string): void => {
  if (isDirectory(path)) return
  const parent = dirname(path)
  if (parent !== path) makeLevel(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) !== "EEXIST" || !isDirectory(path)) throw error
  }
}

const ownName = (path: string): string => `${path}.${process.pid}-${randomBytes(6).toString("hex")}`

/** A copy, so that there is no moment without a file: a server without one would be trusted. */
export const keepAside = (path: string): string => {
  const aside = `${ownName(path)}.damaged`
  copyFileSync(path, aside)
  return aside
}

/** Who reads meanwhile has the old file or the new one. What could not be written whole leaves the old one. */
export const replace = async (path: string, pins: ServerPins): Promise<void> => {
  const fresh = `${ownName(path)}.tmp`
  try {
    await writeFile(fresh, renderPins(pins), { flag: "wx", mode: 0o600, flush: true })
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => {})
    throw error
  }
}

export const remove = (path: string): void => rmSync(path, { force: true })

/** The files of all servers, in the order of their names. */
export const listFiles = (dataDirectory: string): ReadonlyArray<string> => {
  const directory = directoryOf(dataDirectory)
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(EXTENSION))
      .toSorted()
      .slice(0, PINS_FILES_MAX)
      .map((name) => join(directory, name))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    throw error
  }
}
