/**
 * All processes of one server, and how to end them. Linux knows them by session, tag and descent, so that also those are
 * found that left the group or outlived their parent; other POSIX systems have the group that was made for the server;
 * Windows has no groups, and its own program for ending a tree.
 */
import { execFile, spawnSync } from "node:child_process"
import { setImmediate as nextTurn } from "node:timers/promises"
import * as Effect from "effect/Effect"
import {
  PROCESS_CHASE_MS,
  PROCESS_POLL_MS,
  PROCESS_READ_WAIT_MS,
  PROCESS_SIGHT_MS,
  TASKKILL_WAIT_MS
} from "../../schemas/defaults/Processes.ts"
import { STREAM_TURN_MS } from "../../schemas/defaults/Wire.ts"
import { remains } from "./descent.ts"
import { entryOf, isAlive, type ProcessEntry, signal } from "./procfs.ts"
import { markOf } from "./mark.ts"
import { survey, type Survey } from "./survey.ts"
import { newestPid, type Watcher } from "./watch.ts"

export interface ProcessTree extends Watcher {
  /** Finds out what belongs to it, to be remembered when the parents are gone. */
  readonly look: Effect.Effect<void>
  /** Sends the signal to whatever is left, until nothing is; never succeeds while something lives. */
  readonly end: (name: "SIGTERM" | "SIGKILL") => Effect.Effect<void>
  /** Numbers of what was left at the last look. */
  readonly left: () => ReadonlyArray<number>
  /** Ends it as far as that can be done without waiting, for the moment before this process is gone. */
  readonly killNow: (seen: () => Survey) => void
}

export interface TreeOptions {
  readonly pid: number
  readonly tag: string
  readonly mark?: string | undefined
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

/**
 * One that starts another and ends, again and again, is in no list: by the time that it is read, the number is nobody's. The
 * number that was given out last is its own, or its child's, for that moment. Gives the last that was hit.
 */
const chase = async (mark: string): Promise<number | undefined> => {
  let end = performance.now() + PROCESS_SIGHT_MS
  let hit: number | undefined
  for (let now = performance.now(); now < end; now = performance.now()) {
    while (performance.now() < now + STREAM_TURN_MS) {
      const pid = newestPid()
      if (pid === undefined) return hit
      if (pid === hit || markOf(pid)?.text !== mark) continue
      if (hit === undefined) end = now + PROCESS_CHASE_MS
      hit = pid
      try {
        // Its mark was read this very moment; nothing else would be in time.
        process.kill(pid, "SIGKILL")
      } catch {
        // It has gone on already.
      }
    }
    await nextTurn()
  }
  return hit
}

// ---- Linux ---------------------------------------------------------------------------------------------------------

/** Where nothing is found, but not everything could be read: so often, and not for ever, for some never can be. */
const LOOKS_AGAIN_MAX = 4

const linuxTree = ({ gone, leaderIsWrapper, mark, pid, tag }: TreeOptions): ProcessTree => {
  const leader = { pid, started: entryOf(pid)?.started ?? 0 }
  let known: ReadonlyArray<ProcessEntry> = []
  let incomplete = false
  let newest: number | undefined
  let escaping: number | undefined

  const look = Effect.map(Effect.promise(survey), (seen) => {
    // Without a look at /proc the group must do.
    if (seen === undefined) return signalGroup(pid, 0) ? undefined : []
    known = remains(seen, { tag, mark, leader, numberIsFree: gone() }, known)
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

  /** Whether somebody of ours was seen running away, after a look that found nobody. */
  const chased = Effect.suspend(() => {
    const before = newest
    newest = newestPid()
    // Nothing was started while it was looked.
    if (mark === undefined || newest === before) return Effect.succeed(false)
    return Effect.map(
      Effect.promise(() => chase(mark)),
      (pid) => (escaping = pid) !== undefined
    )
  })

  return {
    look: Effect.asVoid(look),
    left: () => [...known.filter(isAlive).map((entry) => entry.pid), ...(escaping === undefined ? [] : [escaping])],
    notice: (fresh, present) => {
      const ours = new Map(known.filter((each) => present.has(each.pid)).map((each) => [each.pid, each]))
      for (const each of fresh) {
        const isOurs = (!gone() && (each.session === pid || each.parent === pid)) || ours.has(each.parent)
        if (isOurs) ours.set(each.pid, each)
      }
      known = [...ours.values()]
    },
    end: Effect.fnUntraced(function* (name) {
      // A look takes its time where the machine is busy. Who has been asked in vain, and is known, need not be looked for.
      if (name === "SIGKILL") {
        if (!gone()) signalGroup(pid, name)
        for (const each of known) signal(each, name)
      }
      for (let again = LOOKS_AGAIN_MAX; ;) {
        newest = newestPid()
        const targets = yield* look
        if (targets?.length === 0) {
          if (yield* chased) continue
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
    killNow: (seen) => {
      const targets = remains(seen(), { tag, mark, leader, numberIsFree: gone() }, known)
      if (!gone()) signalGroup(pid, "SIGKILL")
      for (const target of targets) signal(target, "SIGKILL")
    }
  }
}

// ---- macOS and other POSIX systems ---------------------------------------------------------------------------------

const groupTree = ({ gone, pid }: TreeOptions): ProcessTree => {
  const isLeft = () => !gone() && signalGroup(pid, 0)
  return {
    notice: () => {},
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
    notice: () => {},
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
