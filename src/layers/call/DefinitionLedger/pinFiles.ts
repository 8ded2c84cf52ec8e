/**
 * The pin files: one for each server and way to launch it, for this user only, always replaced as a whole. They are read
 * synchronously: a definition must not be used before it is known whether it is approved.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { copyFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PINS_FILE_MAX_BYTES, PINS_FILES_MAX, PINS_LOCK_WAIT_MS } from "../../../schemas/defaults/Pins.ts"
import { readPins, renderPins, withoutClaimed, type ServerPins } from "../../../schemas/call/Pins.ts"
import type { Kept } from "../../../services/call/DefinitionLedger.ts"
import type { Found, Held, PinChange, PinChanged, PinPlace, PinStore } from "../../../services/call/PinStore.ts"
import { withLock } from "../../../system/fileLock.ts"
import * as OwnFiles from "../../../system/ownFiles.ts"

const DIRECTORY = "pins"
const NAME_CHARS = 40
const KEY_DIGITS = 16
const EXTENSION = ".json"

const directoryOf = (dataDirectory: string): string => join(dataDirectory, DIRECTORY)

/** The name begins with the server's, for people; the rest distinguishes names that look the same. */
const fileOf = (dataDirectory: string, server: string, launch: string, configuration?: string): string => {
  const key = createHash("sha256")
    .update(JSON.stringify([server, launch, ...(configuration === undefined ? [] : [configuration])]))
    .digest("hex")
  return join(directoryOf(dataDirectory), `${prefixOf(server)}${key.slice(0, KEY_DIGITS)}${EXTENSION}`)
}

const prefixOf = (server: string): string => `${server.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS)}-`

const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Adopts pins from before files belonged to configurations; the old file stays for other configurations. */
const takeOver = (dataDirectory: string, server: string, launch: string, configuration: string): void => {
  const [file, old] = [fileOf(dataDirectory, server, launch, configuration), fileOf(dataDirectory, server, launch)]
  // Nearly always nothing is to be taken over, and one look tells.
  if (stampOf(old) === "" || stampOf(file) !== "") return
  const before = read(old)
  if (before._tag !== "Pins") return
  const beside = OwnFiles.nameBeside(file)
  try {
    writeFileSync(beside, [...renderPins({ ...before.pins, configuration })].join(""), { mode: 0o600, flag: "wx" })
    renameSync(beside, file)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

/** The most recent file of the same server and configuration with another launch. */
const lastOf = (dataDirectory: string, server: string, configuration: string | undefined): ServerPins | undefined => {
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

const read = (path: string): Held => {
  try {
    const own = OwnFiles.readOwnSync(path, PINS_FILE_MAX_BYTES)
    if (own === undefined) return { _tag: "Nothing" }
    const pins = readPins(own.text)
    return pins === undefined ? { _tag: "Damaged", detail: "the file is damaged" } : { _tag: "Pins", pins }
  } catch (error) {
    return { _tag: "Unreadable", detail: OwnFiles.fileSystemSays(error) }
  }
}

/** Changes with every replacement and every change of permissions; empty when there is no file. */
const stampOf = (path: string): string => {
  try {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true })
    return found === undefined ? "" : `${found.ino} ${found.ctimeNs} ${found.mtimeNs} ${found.size}`
  } catch (error) {
    return OwnFiles.fileSystemSays(error)
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

export const makeDirectory = (dataDirectory: string): void => OwnFiles.makeOwnDirectory(directoryOf(dataDirectory))

/** Copies the file, so that it never disappears in between: a server without a file would be trusted. */
const keepAside = (path: string): string => {
  const aside = `${OwnFiles.nameBeside(path)}.damaged`
  copyFileSync(path, aside)
  return aside
}

const replace = (path: string, pins: ServerPins): Promise<void> => OwnFiles.replaceFile(path, renderPins(pins))

const remove = (path: string): void => rmSync(path, { force: true })

/** The files of all servers, sorted by name. */
const listFiles = (dataDirectory: string): ReadonlyArray<string> => {
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

// ---- as a store ----------------------------------------------------------------------------------------------------

const says = <A>(work: () => A): Effect.Effect<A, string> => Effect.try({ try: work, catch: OwnFiles.fileSystemSays })

const keptIn = (directory: string): ReadonlyArray<Kept> => {
  const kept = listFiles(directory).flatMap((file): ReadonlyArray<Kept> => {
    const held = read(file)
    if (held._tag === "Pins") return [held]
    return held._tag === "Nothing" ? [] : [{ _tag: "Unreadable", file, detail: held.detail }]
  })
  const shown = new Set(withoutClaimed(kept.flatMap((one) => (one._tag === "Pins" ? [one.pins] : []))))
  return kept.filter((one) => one._tag !== "Pins" || shown.has(one.pins))
}

const fileStore = (directory: string): PinStore["Service"] => {
  const nameOf = ({ configuration, launch, server }: PinPlace) => fileOf(directory, server, launch, configuration)

  const put = Effect.fnUntraced(function* (file: string, there: Held, pins: ServerPins) {
    if (there._tag === "Damaged") yield* says(() => keepAside(file))
    yield* Effect.tryPromise({ try: () => replace(file, pins), catch: OwnFiles.fileSystemSays })
    return sizeOf(file)
  })

  const modify = Effect.fnUntraced(function* <A>(
    place: PinPlace,
    known: Found,
    change: (there: Held) => Effect.Effect<PinChange<A>, string>
  ): Effect.fn.Return<PinChanged<A>, string> {
    const file = nameOf(place)
    return yield* Effect.scoped(
      Effect.gen(function* () {
        yield* says(() => makeDirectory(directory))
        yield* withLock(`${file}.lock`, PINS_LOCK_WAIT_MS)
        const there = stampOf(file) === known.stamp ? known.held : read(file)
        const { keep, value } = yield* change(there)
        if (keep === "nothing") {
          yield* says(() => {
            remove(file)
            // Otherwise it would be adopted again.
            remove(fileOf(directory, place.server, place.launch))
          })
        }
        const bytes = keep === undefined || keep === "nothing" ? 0 : yield* put(file, there, keep)
        // Under the lock, so the stamp belongs to what was written here.
        return { value, stamp: stampOf(file), bytes }
      })
    )
  })

  return {
    nameOf,
    stampOf: (place) => stampOf(nameOf(place)),
    read: (place) => read(nameOf(place)),
    adopt: ({ configuration, launch, server }) => {
      if (configuration !== undefined) takeOver(directory, server, launch, configuration)
    },
    lastOf: (server, configuration) => lastOf(directory, server, configuration),
    modify,
    list: says(() => keptIn(directory)),
    changes: Stream.never
  }
}

/** Pins in files of this data directory. If it stays writable for others, the first file that is used reports the problem. */
export const ownStore = (directory: string): Effect.Effect<PinStore["Service"]> =>
  says(() => OwnFiles.closeToWriters(directory)).pipe(
    Effect.ignore,
    Effect.map(() => fileStore(directory))
  )
