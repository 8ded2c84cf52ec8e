/** What is stored, as far as it was read; it is read again when it has changed. */
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import { PINS_KNOWN_MAX, PINS_WRITE_BURST_BYTES, PINS_WRITE_BYTES_PER_SECOND } from "../../../schemas/defaults/Pins.ts"
import { launchIdentity } from "../../../schemas/call/DefinitionHash.ts"
import { reviewed, type Listed } from "./review.ts"
import { memoOf } from "../../../schemas/data/Memo.ts"
import { noPins, type ServerPins } from "../../../schemas/call/Pins.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { Held, PinPlace, PinStore } from "../../../services/call/PinStore.ts"

export interface Entry extends PinPlace {
  /** Names its place in the store. */
  readonly file: string
  readonly configuration: string | undefined
  /** What applies to this process: what is stored plus lists that were reviewed since. */
  held: Held
  /** What is stored. */
  filed: Held
  /** Of what is stored when it was last read or written. */
  stamp: string | undefined
  /** The stamp of the content that was announced last. */
  told: string | undefined
  /** How many bytes may be written now, and when that was computed. */
  room: { readonly bytes: number; readonly at: number }
  /** The last list whose result is not in the file yet. */
  unsaved: Listed | undefined
  /** A write is in progress. */
  isSaving: boolean
  /** The last write error, so that it is reported once. */
  complaint: string | undefined
  readonly lists: WeakSet<Catalogue>
}

/** Changes when the state of a definition, or what is reported about it, changes. */
export const standingKey = ({ held }: Pick<Entry, "held">): string =>
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

/** Without a file nothing is known of a server; with a damaged one, nothing is trusted. */
export const basisOf = (held: Held, { launch, server }: Entry, at: number): ServerPins | undefined => {
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

/** Deleted pins are learned again. If no file was ever written, what this process trusted first counts, not what came later. */
const basisIn = (entry: Entry, there: Held, at: number): ServerPins | undefined =>
  basisOf(there._tag === "Nothing" && entry.filed._tag === "Nothing" ? entry.held : there, entry, at)

/** The result of reviewing a list against what is stored. */
export const reviewedOver = (entry: Entry, there: Held, listed: Listed) =>
  reviewed(basisIn(entry, there, listed.at), listed)

/** Applies what this process has not written yet on top of what others have written. */
export const refresh = (store: PinStore["Service"], entry: Entry): Entry => {
  if (entry.isSaving) return entry
  const stamp = store.stampOf(entry)
  if (stamp === entry.stamp) return entry
  entry.stamp = stamp
  const there = store.read(entry)
  if (entry.unsaved === undefined) entry.held = there
  else if (there._tag !== "Unreadable") {
    entry.held = { _tag: "Pins", pins: reviewedOver(entry, there, entry.unsaved).pins }
  }
  entry.filed = there
  return entry
}

const roomAt = ({ at, bytes }: Entry["room"], now: number): number =>
  Math.min(PINS_WRITE_BURST_BYTES, bytes + ((now - at) / 1000) * PINS_WRITE_BYTES_PER_SECOND)

/** Whether it may be written now: a large file that changes all the time is written only occasionally. */
export const hasRoom = ({ room }: Entry, now: number): boolean => roomAt(room, now) >= 0

export const useRoom = (entry: Entry, bytes: number, now: number): void => {
  entry.room = { bytes: roomAt(entry.room, now) - bytes, at: now }
}

type Placed = Pick<ServerConfig, "name" | "launch" | "sandbox" | "session">

export const makeEntries = (store: PinStore["Service"], ofAll: string | undefined) => {
  const entries = new Map<string, Entry>()

  /** Servers of sessions come and go; removed entries are read again when needed. */
  const makeRoom = () => {
    if (entries.size < PINS_KNOWN_MAX) return
    for (const { file, unsaved } of entries.values()) {
      if (unsaved === undefined) return void entries.delete(file)
    }
  }

  const adopt = (place: PinPlace) => {
    try {
      store.adopt(place)
    } catch {
      // The error is reported when the place itself is written.
    }
  }

  /** Each review asks for all servers. */
  const placeOf = memoOf((config: Placed) => {
    // Servers that a client brings belong to its session, not to a configuration.
    const configuration = config.session === undefined ? ofAll : undefined
    const place = { server: config.name, launch: launchIdentity(config), configuration }
    return { place, file: store.nameOf(place) }
  })

  return {
    all: (): ReadonlyArray<Entry> => [...entries.values()],
    of: (config: Placed): Entry => {
      const { file, place } = placeOf(config)
      const known = entries.get(file)
      if (known !== undefined) return known
      makeRoom()
      adopt(place)
      const entry: Entry = {
        ...place,
        file,
        held: { _tag: "Nothing" },
        filed: { _tag: "Nothing" },
        stamp: undefined,
        told: undefined,
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

/** With the configuration that it belongs to. */
export const ownedBy = ({ configuration }: Entry, pins: ServerPins): ServerPins =>
  configuration === undefined ? pins : { ...pins, configuration }
