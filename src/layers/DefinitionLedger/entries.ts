/** What this process knows of the files: each is read again when it is another one than before. */
import type { Catalogue } from "../../schemas/Catalogue.ts"
import { PINS_KNOWN_MAX } from "../../schemas/defaults/Pins.ts"
import { launchIdentity } from "../../schemas/DefinitionHash.ts"
import type { Listed } from "../../schemas/PinReview.ts"
import { noPins, type ServerPins } from "../../schemas/Pins.ts"
import type { ServerConfig } from "../../schemas/ServerConfig.ts"
import * as Files from "./files.ts"

export interface Entry {
  readonly file: string
  readonly server: string
  readonly launch: string
  held: Files.Held
  /** Of the file when it was read or written. */
  stamp: string | undefined
  /** The last list, while what came of it is not in the file. */
  unsaved: Listed | undefined
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

/** What this process has not written yet counts for it, until it is. */
export const refresh = (entry: Entry): Entry => {
  if (entry.unsaved !== undefined) return entry
  const stamp = Files.stampOf(entry.file)
  if (stamp === entry.stamp) return entry
  entry.stamp = stamp
  entry.held = Files.read(entry.file)
  return entry
}

export const makeEntries = (directory: string) => {
  const entries = new Map<string, Entry>()

  /** Servers of sessions come and go; what is let go of here is read again when it is needed. */
  const makeRoom = () => {
    if (entries.size < PINS_KNOWN_MAX) return
    const oldest = [...entries.values()].find(({ unsaved }) => unsaved === undefined)
    if (oldest !== undefined) entries.delete(oldest.file)
  }

  return {
    all: (): ReadonlyArray<Entry> => [...entries.values()],
    of: (config: Pick<ServerConfig, "name" | "launch" | "sandbox" | "session">): Entry => {
      const launch = launchIdentity(config)
      const file = Files.fileOf(directory, config.name, launch)
      const known = entries.get(file)
      if (known !== undefined) return known
      makeRoom()
      const entry: Entry = {
        file,
        server: config.name,
        launch,
        held: { _tag: "Nothing" },
        stamp: undefined,
        unsaved: undefined,
        complaint: undefined,
        lists: new WeakSet()
      }
      entries.set(file, entry)
      return entry
    }
  }
}
