/**
 * The files of the ledger: one for each server and way to launch it, for this user alone, each replaced as a whole. They are
 * read without suspending: a definition must not be used before it is known whether it is an approved one.
 */
import { createHash } from "node:crypto"
import { copyFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PINS_FILE_MAX_BYTES, PINS_FILES_MAX } from "../../../schemas/defaults/Pins.ts"
import { readPins, renderPins, withoutClaimed, type ServerPins } from "../../../schemas/call/Pins.ts"
import * as OwnFiles from "../../../system/ownFiles.ts"

const DIRECTORY = "pins"
const NAME_CHARS = 40
const KEY_DIGITS = 16
const EXTENSION = ".json"

export const directoryOf = (dataDirectory: string): string => join(dataDirectory, DIRECTORY)

/** Named so that a person finds a server's; the rest of the name tells those apart that look the same. */
export const fileOf = (dataDirectory: string, server: string, launch: string, configuration?: string): string => {
  const key = createHash("sha256")
    .update(JSON.stringify([server, launch, ...(configuration === undefined ? [] : [configuration])]))
    .digest("hex")
  return join(directoryOf(dataDirectory), `${prefixOf(server)}${key.slice(0, KEY_DIGITS)}${EXTENSION}`)
}

const prefixOf = (server: string): string => `${server.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS)}-`

const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** What was kept before files belonged to configurations becomes this one's too, and stays for others. */
export const takeOver = (dataDirectory: string, server: string, launch: string, configuration: string): void => {
  const file = fileOf(dataDirectory, server, launch, configuration)
  const before = read(fileOf(dataDirectory, server, launch))
  if (before._tag !== "Pins" || stampOf(file) !== "") return
  const beside = OwnFiles.nameBeside(file)
  writeFileSync(beside, [...renderPins({ ...before.pins, configuration })].join(""), { mode: 0o600, flag: "wx" })
  renameSync(beside, file)
}

/** Of the same server of the same configuration, started in another way: what was written last. */
export const lastOf = (
  dataDirectory: string,
  server: string,
  configuration: string | undefined
): ServerPins | undefined => {
  try {
    const prefix = join(directoryOf(dataDirectory), prefixOf(server))
    const newestFirst = listFiles(dataDirectory)
      .filter((path) => path.startsWith(prefix))
      .map((path) => ({ path, at: writtenAt(path) }))
      .toSorted((a, b) => b.at - a.at)
    const found = newestFirst.flatMap(({ path }) => {
      const held = read(path)
      return held._tag === "Pins" && held.pins.server === server ? [held.pins] : []
    })
    return withoutClaimed(found).find(
      (pins) => pins.configuration === configuration || pins.configuration === undefined
    )
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

export const read = (path: string): Held => {
  try {
    const own = OwnFiles.readOwnSync(path, PINS_FILE_MAX_BYTES)
    if (own === undefined) return { _tag: "Nothing" }
    const pins = readPins(own.text)
    return pins === undefined ? { _tag: "Damaged", detail: "the file is damaged" } : { _tag: "Pins", pins }
  } catch (error) {
    return { _tag: "Unreadable", detail: OwnFiles.fileSystemSays(error) }
  }
}

/** Another text for every replacement, and for another right to read it; empty while there is no file. */
export const stampOf = (path: string): string => {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? "" : `${found.ino} ${found.ctimeNs} ${found.mtimeNs} ${found.size}`
  } catch (error) {
    return OwnFiles.fileSystemSays(error)
  }
}

export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

export const makeDirectory = (dataDirectory: string): void => OwnFiles.makeOwnDirectory(directoryOf(dataDirectory))

/** A copy, so that there is no moment without a file: a server without one would be trusted. */
export const keepAside = (path: string): string => {
  const aside = `${OwnFiles.nameBeside(path)}.damaged`
  copyFileSync(path, aside)
  return aside
}

export const replace = (path: string, pins: ServerPins): Promise<void> => OwnFiles.replaceFile(path, renderPins(pins))

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
    if (OwnFiles.isMissing(error)) return []
    throw error
  }
}
