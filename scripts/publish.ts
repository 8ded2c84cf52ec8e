/**
 * Puts what was built in place, file by file: each is written beside its place and renamed. A program that runs meanwhile
 * finds every file that it may still load, and one that starts finds a whole one.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

/** Whether what runs is counted (`coverage.ts`): then built files say what they were built of. */
export const forCoverage = process.env["MCP_LIVE_COVERAGE"] !== undefined

/** Every file below `folder`, by its path from there. */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    : []

export const inProject = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** On the same disk as `dist`, and in no package. */
const BESIDE = inProject(".build/beside")

const isSame = (place: string, bytes: Buffer): boolean => existsSync(place) && readFileSync(place).equals(bytes)

const put = (place: string, contents: string | Uint8Array): void => {
  const bytes = Buffer.from(contents as string)
  if (isSame(place, bytes)) return
  for (const folder of [dirname(place), BESIDE]) mkdirSync(folder, { recursive: true })
  const beside = join(BESIDE, String(process.pid))
  writeFileSync(beside, bytes)
  renameSync(beside, place)
}

/**
 * `files` are pairs of a path and its contents, in the order in which they are to appear: what others import comes first.
 * Of what is no longer among them, everything goes that `isStale` says may go.
 */
export const publish = (
  folder: string,
  files: ReadonlyArray<readonly [path: string, contents: string | Uint8Array]>,
  isStale: (path: string) => boolean
): void => {
  for (const [path, contents] of files) put(join(folder, path), contents)
  const current = new Set(files.map(([path]) => path))
  for (const path of filesBelow(folder)) {
    if (!current.has(path) && isStale(path)) rmSync(join(folder, path), { force: true })
  }
}

/** The parts of a program, by name: those of the build that made it, and of the one before. */
export interface Generations {
  readonly now: ReadonlyArray<string>
  readonly before: ReadonlyArray<string>
}

/** What `list` says after a build that made `parts`. A build of the same sources is no generation of its own. */
export const generationsOf = (list: string, parts: ReadonlyArray<string>): Generations => {
  const known = existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as Generations) : { now: [], before: [] }
  const isRebuilt = parts.length === known.now.length && parts.every((name) => known.now.includes(name))
  return { now: parts, before: isRebuilt ? known.before : known.now }
}
