/**
 * The files of one run: a directory below `results`, named after the process and removed when the run ends. Directories of
 * dead processes are removed when the next run starts; those of living ones are not touched.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash, randomBytes } from "node:crypto"
import { open, readdir, readFile, rm, unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { partsOf, rangeOf, type Parts } from "../../../schemas/content/TextParts.ts"
import type { PersonStore } from "../../../services/call/PersonStores.ts"
import type { ResultTexts } from "../../../services/call/ResultTexts.ts"
import { codeOf, makeOwnDirectory, NotOurs, READING } from "../../../system/ownFiles.ts"

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
        const parts: Growing = { chars: [], bytes: [] }
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

interface Growing extends Parts {
  readonly chars: Array<number>
  readonly bytes: Array<number>
}

function* noting({ bytes, chars }: Growing, parts: Iterable<string>): Generator<string> {
  for (const part of parts) {
    chars.push((chars.at(-1) ?? 0) + part.length)
    bytes.push((bytes.at(-1) ?? 0) + Buffer.byteLength(part))
    yield part
  }
}

const RESULTS = "results"
/** Distinguishes this process from an earlier one with the same id, which is common in containers. */
const STARTED = String(Math.floor(performance.timeOrigin))
const RUN = /^(\d{1,10})-(\d{1,16})-[0-9a-f]{16}$/

/** Removes the directories of dead processes. Other names are not ours. */
const sweep = async (dataDirectory: string): Promise<void> => {
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

// ---- of a client ----------------------------------------------------------------------------------------------------

const CLIENT_CHARS = 16

/** The end of the names of a client's files. */
const endingOf = (client: string): string =>
  `-${createHash("sha256").update(client).digest("hex").slice(0, CLIENT_CHARS)}`

const listed = (directory: string) => readdir(directory).catch(() => [])

/** Removes the texts of clients from all runs. Returns how many there were; fails with words. */
const removeOf = (dataDirectory: string, clients: ReadonlyArray<string>): Effect.Effect<number, string> =>
  attempt(async () => {
    const results = join(dataDirectory, RESULTS)
    const endings = clients.map(endingOf)
    let count = 0
    for (const run of (await listed(results)).filter((name) => RUN.test(name))) {
      for (const name of await listed(join(results, run))) {
        if (!endings.some((ending) => name.endsWith(ending))) continue
        try {
          await unlink(join(results, run, name))
          count++
        } catch (error) {
          // Its process has removed it meanwhile.
          if (codeOf(error) !== "ENOENT") throw error
        }
      }
    }
    return count
  })

/** The files of people in these data directories, also those of processes that run: there they are as if they had been dropped. */
export const filesOfPeople = (directories: ReadonlyArray<string>): PersonStore => ({
  what: "kept results",
  forget: ({ clients }) =>
    Effect.map(
      Effect.forEach(directories, (directory) => removeOf(directory, clients)),
      (counts) => counts.reduce((sum, count) => sum + count, 0)
    )
})

// ---- as a store ----------------------------------------------------------------------------------------------------

const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.tryPromise({
    try: work,
    catch: (error) => (error instanceof NotOurs ? error.message : (codeOf(error) ?? "unknown reason"))
  })

/** Texts in files of this data directory, until the Scope closes. */
export const fileTexts = Effect.fnUntraced(function* (
  directory: string
): Effect.fn.Return<ResultTexts["Service"], never, Scope.Scope> {
  const files = makeRunFiles(directory)
  yield* Effect.addFinalizer(() => Effect.ignore(attempt(files.clear)))
  yield* Effect.forkScoped(Effect.ignore(attempt(() => sweep(directory))))
  /** Those of clients, whose files say so. */
  const names = new Map<string, string>()
  const nameOf = (handle: string): string => names.get(handle) ?? handle
  return {
    place: directory,
    write: (handle, text, _, client) => {
      if (client !== undefined) names.set(handle, handle + endingOf(client))
      return attempt(() => files.write(nameOf(handle), text))
    },
    read: (handle) => attempt(() => files.read(nameOf(handle))),
    slice: (handle, parts, from, to) => attempt(() => files.slice(nameOf(handle), parts, from, to)),
    remove: (handle) =>
      attempt(() => {
        const name = nameOf(handle)
        names.delete(handle)
        return files.remove(name)
      }),
    find: () => Effect.undefined
  }
})
