/**
 * Finds and ends all processes of one server. On Linux they are found by session, tag and descent, also those that left the group or
 * outlived their parent. Other POSIX systems have only the process group of the server. Windows has no groups, but a program that ends a
 * process tree.
 */
import { type ChildProcess, execFile, spawnSync } from "node:child_process"
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
import { entryOf, isAlive, listNow, type ProcessEntry, signal } from "./procfs.ts"
import { markOf } from "./mark.ts"
import type { Surveys } from "./survey.ts"
import type { KillNow } from "./ThisProcess.ts"
import { newestPid, type Watcher } from "./watch.ts"

export interface ProcessTree extends Watcher {
  /** Finds and remembers what belongs to it, while the parents still live. */
  readonly look: Effect.Effect<void>
  /** Sends the signal to what is left until nothing is left. Does not complete while something lives. */
  readonly end: (name: "SIGTERM" | "SIGKILL") => Effect.Effect<void>
  /** The numbers of the processes that were left at the last look. */
  readonly left: () => ReadonlyArray<number>
  /** Kills synchronously what it can, for the exit hook. */
  readonly killNow: KillNow
}

export interface TreeOptions {
  readonly pid: number
  readonly tag: string
  readonly mark?: string | undefined
  readonly survey: Surveys["shared"]
  /** Whether the whole group was gone when the leader exited. */
  readonly gone: () => boolean
  /** The leader is a sandbox around the server, which ends with it: it gets no SIGTERM. */
  readonly leaderIsWrapper: boolean
}

/** Signals a group that we made: the child was spawned detached, so its number is that of the group. */
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
 * A process that starts another and ends, again and again, is in no list: when the list is read, its number is unused. But the newest
 * number of the system is its own, or that of its child, for a moment. Gives the last number that was hit. The times are those of the real
 * clock: this is a race with other processes.
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
        // Its mark was read immediately before; any other check would be too late.
        process.kill(pid, "SIGKILL")
      } catch {
        // It has ended already.
      }
    }
    await nextTurn()
  }
  return hit
}

// ---- Linux ---------------------------------------------------------------------------------------------------------

/** How often to look again if nothing was found but not everything could be read. Some processes can never be read. */
const LOOKS_AGAIN_MAX = 4

const linuxTree = ({ gone, leaderIsWrapper, mark, pid, survey, tag }: TreeOptions): ProcessTree => {
  const leader = { pid, started: entryOf(pid)?.started ?? 0 }
  let known: ReadonlyArray<ProcessEntry> = []
  let incomplete = false
  let escaping: number | undefined

  const look = Effect.map(Effect.promise(survey), (seen) => {
    // Without /proc, only the group is known.
    if (seen === undefined) return signalGroup(pid, 0) ? undefined : []
    known = remains(seen, { tag, mark, leader, numberIsFree: gone() }, known)
    incomplete = seen.incomplete === true
    return known
  })

  const send = (targets: ReadonlyArray<ProcessEntry>, name: "SIGTERM" | "SIGKILL") => {
    const spared = name === "SIGTERM" && leaderIsWrapper
    // The group first, in one step: otherwise its members could start others meanwhile.
    if (!spared && targets.some(({ group }) => group === pid)) signalGroup(pid, name)
    for (const target of targets) {
      if (target.group === pid && !spared) continue
      if (!(spared && target.pid === pid)) signal(target, name)
    }
  }

  /** Whether a process of ours was seen that escapes surveys. */
  const chased =
    mark === undefined
      ? Effect.succeed(false)
      : Effect.map(
          Effect.promise(() => chase(mark)),
          (pid) => (escaping = pid) !== undefined
        )

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
      // A look takes long on a busy machine. Known processes need not be looked for.
      if (name === "SIGKILL") {
        if (!gone()) signalGroup(pid, name)
        for (const each of known) signal(each, name)
      }
      for (let [again, isFirst] = [LOOKS_AGAIN_MAX, true]; ;) {
        const newest = newestPid()
        const targets = yield* look
        if (targets?.length === 0) {
          // What starts while the list is read, by a process that ends meanwhile, is only in the next list.
          const hasMissed = newestPid() !== newest
          if (hasMissed && (yield* chased)) continue
          if (incomplete) {
            if (again-- === 0) return
            yield* Effect.sleep(PROCESS_READ_WAIT_MS)
          } else if (!hasMissed || !isFirst) return
          isFirst = false
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

const groupTree = ({ gone, pid }: Pick<TreeOptions, "pid" | "gone">): ProcessTree => {
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

/** Runs other programs. A parameter, so that tests can observe it without Windows. */
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

/** A program without a window cannot be ended politely, so both signals do the same. The tree is found by its leader, and only while that runs. */
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

/** Whether a member of the group is more than a zombie: if nobody reaps orphans, dead ones stay in it. */
const isGroupAlive = (pid: number): boolean => {
  if (!signalGroup(pid, 0)) return false
  const members = [...listNow().values()].filter(({ group }) => group === pid)
  return members.length === 0 || members.some(({ dead }) => !dead)
}

/** The group of a child that has just been spawned, as the leader of its group (`detached`) if this is not Windows. */
export const groupOf = (child: ChildProcess, platform: NodeJS.Platform = process.platform): ProcessTree => {
  const pid = child.pid!
  let isGone = false
  // Once it is gone, a stranger may get its number.
  const gone = () =>
    (isGone ||= platform === "win32" ? child.exitCode !== null || child.signalCode !== null : !isGroupAlive(pid))
  child.once("exit", gone)
  return platform === "win32" ? windowsTree({ pid, gone }) : groupTree({ pid, gone })
}

export const makeTree = (options: TreeOptions, platform: NodeJS.Platform = process.platform): ProcessTree => {
  if (platform === "win32") return windowsTree(options)
  return platform === "linux" ? linuxTree(options) : groupTree(options)
}
