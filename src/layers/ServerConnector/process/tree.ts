/**
 * All processes of one server, and how to end them. Linux knows them by session, tag and descent, so that also those are
 * found that left the group or outlived their parent; other POSIX systems have the group that was made for the server;
 * Windows has no groups, and its own program for ending a tree.
 */
import { execFile, spawnSync } from "node:child_process"
import * as Effect from "effect/Effect"
import { PROCESS_POLL_MS, PROCESS_READ_WAIT_MS, TASKKILL_WAIT_MS } from "../../../schemas/Defaults.ts"
import { remains } from "./descent.ts"
import { entryOf, isAlive, type ProcessEntry, signal } from "./procfs.ts"
import { survey, type Survey } from "./survey.ts"

type Entries = Survey["entries"]

export interface ProcessTree {
  /** Finds out what belongs to it, to be remembered when the parents are gone. */
  readonly look: Effect.Effect<void>
  /** Sends the signal to whatever is left, until nothing is; never succeeds while something lives. */
  readonly end: (name: "SIGTERM" | "SIGKILL") => Effect.Effect<void>
  /** Numbers of what was left at the last look. */
  readonly left: () => ReadonlyArray<number>
  /** Ends it as far as that can be done without waiting, for the moment before this process is gone. */
  readonly killNow: (entries: () => Entries) => void
}

export interface TreeOptions {
  readonly pid: number
  readonly tag: string
  /** Whether the leader's whole group was gone when the leader left. */
  readonly gone: () => boolean
  /** The leader only stands between us and the server, and takes it along: it is not asked to go. */
  readonly leaderIsWrapper: boolean
}

/** Signals a group that we made (the child was spawned detached, so its pid is the group's). */
export const signalGroup = (pid: number, name: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pid, name)
    return true
  } catch {
    return false
  }
}

const waitUntil = (over: () => boolean) =>
  Effect.suspend(() => (over() ? Effect.fail("over") : Effect.sleep(PROCESS_POLL_MS))).pipe(
    Effect.forever,
    Effect.ignore
  )

// ---- Linux ---------------------------------------------------------------------------------------------------------

/** Where nothing is found, but not everything could be read: so often, and not for ever, for some never can be. */
const LOOKS_AGAIN_MAX = 4

const linuxTree = ({ gone, leaderIsWrapper, pid, tag }: TreeOptions): ProcessTree => {
  const leader = { pid, started: entryOf(pid)?.started ?? 0 }
  let known: ReadonlyArray<ProcessEntry> = []
  let incomplete = false

  const look = Effect.map(Effect.promise(survey), (seen) => {
    // Without a look at /proc the group must do.
    if (seen === undefined) return signalGroup(pid, 0) ? undefined : []
    known = remains(seen, { tag, leader, numberIsFree: gone() }, known)
    incomplete = seen.incomplete === true
    return known
  })

  const send = (targets: ReadonlyArray<ProcessEntry>, name: "SIGTERM" | "SIGKILL") => {
    const spared = name === "SIGTERM" && leaderIsWrapper
    // The group all at once: one by one, its members could start others meanwhile.
    if (!spared && targets.some(({ group }) => group === pid)) signalGroup(pid, name)
    for (const target of targets) {
      if (target.group === pid && !spared) continue
      if (!(spared && target.pid === pid)) signal(target, name)
    }
  }

  return {
    look: Effect.asVoid(look),
    left: () => known.filter(isAlive).map((entry) => entry.pid),
    end: Effect.fnUntraced(function* (name) {
      for (let again = LOOKS_AGAIN_MAX; ;) {
        const targets = yield* look
        if (targets?.length === 0) {
          if (!incomplete || again-- === 0) return
          yield* Effect.sleep(PROCESS_READ_WAIT_MS)
          continue
        }
        if (targets === undefined) {
          signalGroup(pid, name)
          yield* waitUntil(() => !signalGroup(pid, 0))
        } else {
          send(targets, name)
          yield* waitUntil(() => !targets.some(isAlive))
        }
      }
    }),
    killNow: (entries) => {
      const targets = remains({ entries: entries(), tags: new Map() }, { tag, leader, numberIsFree: gone() }, known)
      if (!gone()) signalGroup(pid, "SIGKILL")
      for (const target of targets) signal(target, "SIGKILL")
    }
  }
}

// ---- macOS and other POSIX systems ---------------------------------------------------------------------------------

const groupTree = ({ gone, pid }: TreeOptions): ProcessTree => {
  const isLeft = () => !gone() && signalGroup(pid, 0)
  return {
    look: Effect.void,
    left: () => (isLeft() ? [pid] : []),
    end: (name) =>
      Effect.suspend(() => {
        if (!isLeft()) return Effect.void
        signalGroup(pid, name)
        return waitUntil(() => !isLeft())
      }),
    killNow: () => {
      if (!gone()) signalGroup(pid, "SIGKILL")
    }
  }
}

// ---- Windows -------------------------------------------------------------------------------------------------------

/** How other programs are run: given so that it can be watched where there is no Windows. */
export interface Runner {
  readonly run: (file: string, args: ReadonlyArray<string>) => Effect.Effect<void>
  readonly runNow: (file: string, args: ReadonlyArray<string>) => void
}

const runner: Runner = {
  run: (file, args) =>
    Effect.callback((resume) => {
      execFile(file, args, { timeout: TASKKILL_WAIT_MS, windowsHide: true }, () => resume(Effect.void))
    }),
  runNow: (file, args) => void spawnSync(file, args, { timeout: TASKKILL_WAIT_MS, windowsHide: true })
}

/**
 * A program without a window cannot be asked to go, so there is one way for both signals. It finds the tree by the leader,
 * and nothing once the leader is gone.
 */
export const windowsTree = (
  { gone, pid }: Pick<TreeOptions, "pid" | "gone">,
  { run, runNow }: Runner = runner,
  systemRoot: string = process.env["SystemRoot"] ?? "C:\\Windows"
): ProcessTree => {
  const taskkill = `${systemRoot}\\System32\\taskkill.exe`
  const args = ["/T", "/F", "/PID", String(pid)]
  return {
    look: Effect.void,
    left: () => (gone() ? [] : [pid]),
    end: () => Effect.suspend(() => (gone() ? Effect.void : Effect.andThen(run(taskkill, args), waitUntil(gone)))),
    killNow: () => {
      if (!gone()) runNow(taskkill, args)
    }
  }
}

export const makeTree = (options: TreeOptions, platform: NodeJS.Platform = process.platform): ProcessTree => {
  if (platform === "win32") return windowsTree(options)
  return platform === "linux" ? linuxTree(options) : groupTree(options)
}
