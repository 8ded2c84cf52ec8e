/**
 * Reads a ZIP archive from memory. All names, and the sum of the declared sizes, are judged before anything is unpacked. No entry becomes larger
 * than it declares: that is counted while it is unpacked.
 */
import type { Readable } from "node:stream"
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl"
import { makeEntryNames, modeOf } from "../../../schemas/config/bundle/EntryNames.ts"
import {
  BUNDLE_ENTRIES_MAX,
  BUNDLE_RATIO_FREE_BYTES,
  BUNDLE_RATIO_MAX,
  BUNDLE_UNPACKED_MAX_BYTES
} from "../../../schemas/defaults/Bundles.ts"

/** The message completes "the bundle cannot be used: …". */
export class NotABundle extends Error {}

export interface ArchiveEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly mode: number
}

export interface Archive {
  readonly entries: ReadonlyArray<ArchiveEntry>
  /** Rejects as soon as the entry has more bytes than it declares. */
  readonly read: (entry: ArchiveEntry, take: (piece: Buffer) => Promise<void> | void) => Promise<void>
  /** One small file. */
  readonly contentOf: (name: string, maxBytes: number) => Promise<Buffer>
}

/** A stranger's name in a message. */
const shown = (name: string): string => JSON.stringify(name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd").slice(0, 120))

/** How much an archive of so many bytes may unpack to. */
export const roomOf = (bytes: number): number =>
  Math.min(BUNDLE_UNPACKED_MAX_BYTES, Math.max(BUNDLE_RATIO_FREE_BYTES, bytes * BUNDLE_RATIO_MAX))

const tooLarge = (room: number) =>
  new NotABundle(`it unpacks to more than the ${room} bytes that are taken of a bundle of its size`)

const asOurs = (error: unknown): NotABundle => {
  if (error instanceof NotABundle) return error
  const words = error instanceof Error ? error.message : "unreadable"
  if (words.startsWith("End of central directory")) {
    return new NotABundle("it is damaged: it is no ZIP archive, or only the beginning of one")
  }
  return new NotABundle(`it is damaged: ${words.replace(/[\p{C}]/gu, " ").slice(0, 120)}`)
}

const listed = async (zip: ZipFile, room: number): Promise<ReadonlyMap<ArchiveEntry, Entry>> => {
  if (zip.entryCount > BUNDLE_ENTRIES_MAX) throw new NotABundle(`it has more than ${BUNDLE_ENTRIES_MAX} entries`)
  const names = makeEntryNames()
  const found = new Map<ArchiveEntry, Entry>()
  let declared = 0
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName
    // Windows has its own attributes there.
    const mode =
      entry.versionMadeBy >>> 8 === 3 || entry.versionMadeBy >>> 8 === 19 ? modeOf(entry.externalFileAttributes) : 0
    const problem = names.problem(name, mode)
    if (problem !== undefined) throw new NotABundle(`its entry ${shown(name)} ${problem}`)
    if (!entry.canDecodeFileData())
      throw new NotABundle(`its entry ${shown(name)} is encrypted, or packed in an unusual way`)
    declared += entry.uncompressedSize
    if (declared > room) throw tooLarge(room)
    found.set({ name, isFolder: name.endsWith("/"), mode }, entry)
  }
  return found
}

/** Rejects with `NotABundle`. */
export const readArchive = async (bytes: Buffer): Promise<Archive> => {
  const room = roomOf(bytes.length)
  try {
    const zip = await fromBufferPromise(bytes, {
      lazyEntries: true,
      strictFileNames: true,
      validateEntrySizes: true,
      autoClose: false
    })
    const entries = await listed(zip, room)
    const read: Archive["read"] = async (one, take) => {
      try {
        const stream: Readable = await zip.openReadStreamPromise(entries.get(one)!)
        for await (const piece of stream) {
          await take(piece as Buffer)
        }
      } catch (error) {
        throw error instanceof NotABundle || (error instanceof Error && "syscall" in error) ? error : asOurs(error)
      }
    }
    const contentOf: Archive["contentOf"] = async (name, maxBytes) => {
      const one = [...entries.keys()].find((entry) => entry.name === name)
      if (one === undefined) throw new NotABundle(`it has no ${name}`)
      const pieces: Array<Buffer> = []
      let size = 0
      await read(one, (piece) => {
        size += piece.length
        if (size > maxBytes) throw new NotABundle(`its ${name} has more than ${maxBytes} bytes`)
        pieces.push(piece)
      })
      return Buffer.concat(pieces)
    }
    return { entries: [...entries.keys()], read, contentOf }
  } catch (error) {
    throw asOurs(error)
  }
}
