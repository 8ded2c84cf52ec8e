/** Looks at the data directory: whose it is, who can use it, its room, and what killed processes have left in it. Changes nothing. */
import * as Effect from "effect/Effect"
import { accessSync, constants, lstatSync, readdirSync, statfsSync, statSync, type Stats } from "node:fs"
import { join } from "node:path"
import { DOCTOR_DEPTH_MAX, DOCTOR_FILES_MAX, DOCTOR_LEFT_MS } from "../../../../schemas/defaults/Doctor.ts"
import type { DataFacts, LeftFacts, OpenPath } from "../../../../schemas/doctor/Facts.ts"
import { isLeftBehind } from "../../../../system/fileLock.ts"
import { leftGatewayFiles } from "../../../../system/gatewayFiles.ts"
import { isOthers } from "../../../../system/ownFiles.ts"
import { leftRunning } from "../../../../system/process/sweep.ts"
import { exists } from "../../../../system/processOwner.ts"

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

interface Entry {
  readonly path: string
  readonly name: string
  readonly depth: number
  readonly stats: Stats
}

/** Everything in a directory, without what links lead to; bounded. */
const entriesOf = (directory: string): ReadonlyArray<Entry> => {
  const found: Array<Entry> = []
  const folders = [{ path: directory, depth: 0 }]
  // The list grows while it is iterated.
  for (const { depth, path: folder } of folders) {
    for (const name of attempt(() => readdirSync(folder)) ?? []) {
      if (found.length >= DOCTOR_FILES_MAX) return found
      const path = join(folder, name)
      const stats = attempt(() => lstatSync(path))
      if (stats === undefined) continue
      found.push({ path, name, depth, stats })
      if (stats.isDirectory() && depth < DOCTOR_DEPTH_MAX) folders.push({ path, depth: depth + 1 })
    }
  }
  return found
}

const OTHERS = 0o077
const WRITERS = 0o022

/** What mcp-live keeps is for its user alone. Files at the top may be the person's own: of those, only who can write them counts. */
const openOf = ({ depth, path, stats }: Entry): ReadonlyArray<OpenPath> => {
  if (isOthers(stats) || !(stats.isFile() || stats.isDirectory())) return []
  const mode = stats.mode & 0o777
  const bits = depth === 0 && stats.isFile() ? WRITERS : OTHERS
  return (mode & bits) === 0 ? [] : [{ path, mode, wanted: mode & ~bits }]
}

export const dataFacts = (path: string): DataFacts => {
  const stats = attempt(() => statSync(path))
  if (stats === undefined || process.platform === "win32")
    return {
      path,
      exists: stats !== undefined,
      othersOwn: false,
      others: [],
      writable: true,
      freeBytes: undefined,
      open: []
    }
  const room = attempt(() => statfsSync(path))
  const entries = isOthers(stats) ? [] : entriesOf(path)
  const mode = stats.mode & 0o777
  const itself = (mode & WRITERS) === 0 ? [] : [{ path, mode, wanted: mode & ~WRITERS }]
  return {
    path,
    exists: true,
    othersOwn: isOthers(stats),
    others: entries.filter((entry) => isOthers(entry.stats)).map((entry) => entry.path),
    writable: attempt(() => (accessSync(path, constants.W_OK | constants.X_OK), true)) === true,
    freeBytes: room === undefined ? undefined : room.bavail * room.bsize,
    open: isOthers(stats) ? [] : [...itself, ...entries.flatMap(openOf)]
  }
}

const TEMPORARY = /\.(\d{1,10})-[0-9a-f]{12}(?:\.tmp)?$/

/** The number may be that of a process elsewhere that shares the directory: so only an old file counts. */
const isLeftFile = ({ name, stats }: Entry, now: number): boolean => {
  const pid = TEMPORARY.exec(name)?.[1]
  return pid !== undefined && stats.isFile() && now - stats.mtimeMs > DOCTOR_LEFT_MS && !exists(Number(pid))
}

export const leftFacts = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<LeftFacts> {
  const entries = entriesOf(directory).filter(({ stats }) => !isOthers(stats))
  return {
    gateways: yield* Effect.promise(() => leftGatewayFiles(directory)),
    locks: entries.filter(({ name, path }) => name.endsWith(".lock") && isLeftBehind(path)).map(({ path }) => path),
    temporary: entries.filter((entry) => isLeftFile(entry, Date.now())).map(({ path }) => path),
    processes: yield* leftRunning
  }
})
