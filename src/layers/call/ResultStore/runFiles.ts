/**
 * The files of one run: a directory below `results`, named after the process and removed when the run ends. Directories of
 * dead processes are removed when the next run starts; those of living ones are not touched.
 */
import { randomBytes } from "node:crypto"
import { open, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { KEPT_TEXT_CHUNK_CHARS } from "../../../schemas/defaults/Results.ts"
import { onCharacter } from "../../../schemas/content/TextWindow.ts"
import { codeOf, makeOwnDirectory, READING } from "../../../system/ownFiles.ts"

export interface RunFiles {
  /** Writes a well-formed text to a new file. If that fails, no partial file remains. */
  readonly write: (name: string, text: string) => Promise<Parts>
  readonly read: (name: string) => Promise<string>
  /** The characters from `from` to `to` of a file; reads only the parts that hold them. */
  readonly slice: (name: string, parts: Parts, from: number, to: number) => Promise<string>
  readonly remove: (name: string) => Promise<void>
  /** Removes everything. */
  readonly clear: () => Promise<void>
}

export const makeRunFiles = (dataDirectory: string): RunFiles => {
  const results = join(dataDirectory, RESULTS)
  const directory = join(results, `${process.pid}-${STARTED}-${randomBytes(8).toString("hex")}`)
  const remove = (name: string) => rm(join(directory, name), { force: true })
  return {
    write: async (name, text) => {
      // Created on first use: most runs write nothing.
      makeOwnDirectory(results)
      makeOwnDirectory(directory)
      try {
        const parts: Parts = { chars: [], bytes: [] }
        await writeFile(join(directory, name), noting(parts, partsOf(text)), { flag: "wx", mode: 0o600 })
        return parts
      } catch (error) {
        await remove(name).catch(() => {})
        throw error
      }
    },
    read: (name) => readFile(join(directory, name), { encoding: "utf8", flag: READING }),
    slice: async (name, parts, from, to) => {
      const { bytes, chars } = rangeOf(parts, from, to)
      const file = await open(join(directory, name), READING)
      try {
        const buffer = Buffer.allocUnsafe(bytes.end - bytes.start)
        const { bytesRead } = await file.read(buffer, 0, buffer.length, bytes.start)
        return buffer.toString("utf8", 0, bytesRead).slice(from - chars.start, to - chars.start)
      } finally {
        await file.close()
      }
    },
    remove,
    clear: () => rm(directory, { recursive: true, force: true })
  }
}

/** Splits a text into parts for writing, never within a character. */
export function* partsOf(text: string): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = onCharacter(text, Math.min(text.length, start + KEPT_TEXT_CHUNK_CHARS))
    yield text.slice(start, end)
  }
}

/** Where each part ends, in the text and in its file. */
export interface Parts {
  readonly chars: Array<number>
  readonly bytes: Array<number>
}

function* noting({ bytes, chars }: Parts, parts: Iterable<string>): Generator<string> {
  for (const part of parts) {
    chars.push((chars.at(-1) ?? 0) + part.length)
    bytes.push((bytes.at(-1) ?? 0) + Buffer.byteLength(part))
    yield part
  }
}

/** The parts that hold these characters. */
const rangeOf = ({ bytes, chars }: Parts, from: number, to: number) => {
  const first = chars.findIndex((end) => end > from)
  const last = chars.findIndex((end) => end >= to)
  const within = (ends: ReadonlyArray<number>) => ({
    start: first === -1 ? (ends.at(-1) ?? 0) : (ends[first - 1] ?? 0),
    end: last === -1 ? (ends.at(-1) ?? 0) : ends[last]!
  })
  return { chars: within(chars), bytes: within(bytes) }
}

const RESULTS = "results"
/** Distinguishes this process from an earlier one with the same id, which is common in containers. */
const STARTED = String(Math.floor(performance.timeOrigin))
const RUN = /^(\d{1,10})-(\d{1,16})-[0-9a-f]{16}$/

/** Removes the directories of dead processes. Other names are not ours. */
export const sweep = async (dataDirectory: string): Promise<void> => {
  const results = join(dataDirectory, RESULTS)
  for (const name of await readdir(results).catch(() => [])) {
    const run = RUN.exec(name)
    if (run === null || isRunning(Number(run[1]), run[2]!)) continue
    await rm(join(results, name), { recursive: true, force: true }).catch(() => {})
  }
}

const isRunning = (pid: number, started: string): boolean => {
  if (pid === process.pid) return started === STARTED
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process exists and belongs to somebody else.
    return codeOf(error) === "EPERM"
  }
}
