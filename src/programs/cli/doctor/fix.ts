/** Mends what is safe to mend: files, sockets, locks and processes that mcp-live itself has left, and the modes of its own files. */
import * as Effect from "effect/Effect"
import { lstatSync } from "node:fs"
import { chmod, rm } from "node:fs/promises"
import type { Finding, Fix } from "../../../schemas/doctor/Finding.ts"
import { isHeld } from "../../../system/fileLock.ts"
import { fileSystemSays, isOthers, NotOurs } from "../../../system/ownFiles.ts"
import { sweep } from "../../../system/process/sweep.ts"

export interface Fixed {
  readonly id: string
  /** What is done, or would be. */
  readonly what: string
  readonly done: boolean
  /** Why it failed. */
  readonly reason?: string | undefined
}

const octal = (mode: number): string => mode.toString(8).padStart(4, "0")

const inWords = (fix: Fix): string => {
  switch (fix._tag) {
    case "RemoveFiles":
    case "BreakLocks":
      return `remove ${fix.paths.join(", ")}`
    case "SetMode":
      return `chmod ${octal(fix.mode)} ${fix.path}`
    case "EndOrphans":
      return "end the servers of gateways that are gone"
  }
}

/** Links are left alone: `chmod` would follow them. */
const setMode = async (path: string, mode: number): Promise<void> => {
  const stats = lstatSync(path)
  if (isOthers(stats) || stats.isSymbolicLink()) throw new NotOurs("it is not ours any more")
  await chmod(path, mode)
}

const apply = (fix: Fix): Effect.Effect<unknown, string> => {
  if (fix._tag === "EndOrphans") return sweep
  return Effect.tryPromise({
    try: async () => {
      if (fix._tag === "SetMode") return setMode(fix.path, fix.mode)
      // What has got a living owner meanwhile stays.
      if (fix._tag === "BreakLocks") return fix.paths.forEach((path) => void isHeld(path))
      for (const path of fix.paths) await rm(path, { force: true })
    },
    catch: fileSystemSays
  })
}

/** In the order of the findings; with `dryRun`, nothing is changed. */
export const fixAll = (findings: ReadonlyArray<Finding>, dryRun: boolean): Effect.Effect<ReadonlyArray<Fixed>> =>
  Effect.forEach(
    findings.flatMap(({ fix, id }) => (fix === undefined ? [] : [{ fix, id }])),
    ({ fix, id }) => {
      const plan = { id, what: inWords(fix) }
      return dryRun
        ? Effect.succeed({ ...plan, done: false })
        : apply(fix).pipe(
            Effect.as<Fixed>({ ...plan, done: true }),
            Effect.catch((reason) => Effect.succeed<Fixed>({ ...plan, done: false, reason }))
          )
    }
  )
