/** What this process knows of the files: each is read again when it is another one than before. */
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import { PINS_KNOWN_MAX, PINS_WRITE_BURST_BYTES, PINS_WRITE_BYTES_PER_SECOND } from "../../../schemas/defaults/Pins.ts"
import { launchIdentity } from "../../../schemas/call/DefinitionHash.ts"
import { reviewed, type Listed } from "./review.ts"
import { noPins, type ServerPins } from "../../../schemas/call/Pins.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import * as Files from "./pinFiles.ts"

export interface Entry {
  readonly file: string
  readonly server: string
  readonly launch: string
  readonly configuration: string | undefined
  /** What counts for this process: what is in the file, and what came of lists since. */
  held: Files.Held
  /** What is in the file. */
  filed: Files.Held
  /** Of the file when it was read or written. */
  stamp: string | undefined
  /** How many bytes may be written now, and when that was so. */
  room: { readonly bytes: number; readonly at: number }
  /** The last list, while what came of it is not in the file. */
  unsaved: Listed | undefined
  /** It is being written. */
  isSaving: boolean
  /** Why it could not be written, so that this is said once. */
  complaint: string | undefined
  readonly lists: WeakSet<Catalogue>
}

/** What decides how definitions stand, and what is said of them. */
export const standingKey = ({ held }: Entry): string =>
  held._tag === "Pins"
    ? JSON.stringify(
        [...held.pins.tools.values()].map(({ approved, name, rejected, shadows }) => [
          name,
          approved?.hash,
          approved?.launch,
          rejected,
          shadows
        ])
      )
    : held._tag

/** Nothing is known of a server without a file; of one with a file that is damaged, nobody trusts anything. */
export const basisOf = (held: Files.Held, { launch, server }: Entry, at: number): ServerPins | undefined => {
  switch (held._tag) {
    case "Pins":
      return held.pins
    case "Nothing":
      return undefined
    case "Damaged":
    case "Unreadable":
      return noPins(server, launch, at)
  }
}

/** What is forgotten is seen anew; where nothing was ever written, what this process trusted first counts, not what came since. */
const basisIn = (entry: Entry, there: Files.Held, at: number): ServerPins | undefined =>
  basisOf(there._tag === "Nothing" && entry.filed._tag === "Nothing" ? entry.held : there, entry, at)

/** What comes of a list over what the file holds. */
export const reviewedOver = (entry: Entry, there: Files.Held, listed: Listed) =>
  reviewed(basisIn(entry, there, listed.at), listed)

/** What this process has not written yet counts for it, over what others have written meanwhile. */
export const refresh = (entry: Entry): Entry => {
  if (entry.isSaving) return entry
  const stamp = Files.stampOf(entry.file)
  if (stamp === entry.stamp) return entry
  entry.stamp = stamp
  const there = Files.read(entry.file)
  if (entry.unsaved === undefined) entry.held = there
  else if (there._tag !== "Unreadable") {
    entry.held = { _tag: "Pins", pins: reviewedOver(entry, there, entry.unsaved).pins }
  }
  entry.filed = there
  return entry
}

/** What the file holds, for who has its lock. */
export const filed = (entry: Entry): Files.Held =>
  Files.stampOf(entry.file) === entry.stamp ? entry.filed : Files.read(entry.file)

const roomAt = ({ at, bytes }: Entry["room"], now: number): number =>
  Math.min(PINS_WRITE_BURST_BYTES, bytes + ((now - at) / 1000) * PINS_WRITE_BYTES_PER_SECOND)

/** Whether it may be written again: what is large, and changes all the time, is written ever so often. */
export const hasRoom = ({ room }: Entry, now: number): boolean => roomAt(room, now) >= 0

export const useRoom = (entry: Entry, bytes: number, now: number): void => {
  entry.room = { bytes: roomAt(entry.room, now) - bytes, at: now }
}

export const makeEntries = (directory: string, ofAll: string | undefined) => {
  const entries = new Map<string, Entry>()

  /** Servers of sessions come and go; what is let go of here is read again when it is needed. */
  const makeRoom = () => {
    if (entries.size < PINS_KNOWN_MAX) return
    for (const { file, unsaved } of entries.values()) {
      if (unsaved === undefined) return void entries.delete(file)
    }
  }

  const takeOver = (server: string, launch: string, configuration: string) => {
    try {
      Files.takeOver(directory, server, launch, configuration)
    } catch {
      // What cannot be written now is said of the file itself, when it is written.
    }
  }

  return {
    all: (): ReadonlyArray<Entry> => [...entries.values()],
    of: (config: Pick<ServerConfig, "name" | "launch" | "sandbox" | "session">): Entry => {
      const launch = launchIdentity(config)
      // What a client brings along is its session's: no configuration has it.
      const configuration = config.session === undefined ? ofAll : undefined
      const file = Files.fileOf(directory, config.name, launch, configuration)
      const known = entries.get(file)
      if (known !== undefined) return known
      makeRoom()
      if (configuration !== undefined) takeOver(config.name, launch, configuration)
      const entry: Entry = {
        file,
        server: config.name,
        launch,
        configuration,
        held: { _tag: "Nothing" },
        filed: { _tag: "Nothing" },
        stamp: undefined,
        room: { bytes: PINS_WRITE_BURST_BYTES, at: Number.NEGATIVE_INFINITY },
        unsaved: undefined,
        isSaving: false,
        complaint: undefined,
        lists: new WeakSet()
      }
      entries.set(file, entry)
      return entry
    }
  }
}
