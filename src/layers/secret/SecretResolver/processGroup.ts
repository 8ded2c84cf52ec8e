/**
 * A process and its descendants, to be ended together: politely, then by force, and waited for. Groups that are still
 * there when this process exits are killed on the way out.
 */
import * as Effect from "effect/Effect"
import { type ChildProcess, execFile } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { FORCE_KILL_AFTER_MS } from "../../../schemas/defaults/Processes.ts"

export interface ProcessGroup {
  /** Done when nothing of the group is alive any more. Nearly free when it has ended by itself. */
  readonly end: Effect.Effect<void>
}

const POLL_MS = 20
const onWindows = process.platform === "win32"

/** Of a child that has just been spawned, on other systems than Windows as the leader of a group (`detached`). */
export const make = (child: ChildProcess): ProcessGroup => {
  const pid = child.pid!
  let isGone = false
  const kill = (signal: NodeJS.Signals) => {
    if (!isGone) signalGroup(pid, signal)
  }
  // The number may belong to a stranger later.
  const look = () => {
    isGone ||= onWindows ? child.exitCode !== null || child.signalCode !== null : !isAlive(pid)
    if (isGone) live.delete(kill)
    return isGone
  }
  child.once("exit", look)
  register(kill)

  const gone = Effect.suspend(() => (look() ? Effect.fail("gone") : Effect.sleep(POLL_MS))).pipe(
    Effect.forever,
    Effect.ignore,
    Effect.timeoutOption(FORCE_KILL_AFTER_MS)
  )
  const end = Effect.gen(function* () {
    if (look()) return
    kill("SIGTERM")
    yield* gone
    if (look()) return
    kill("SIGKILL")
    yield* gone
    live.delete(kill)
  })
  return { end }
}

const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  if (onWindows) {
    execFile("taskkill", ["/pid", String(pid), "/T", "/F"], () => {})
    return true
  }
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

/** Whether the group has a member that is more than a zombie: where nobody reaps orphans, dead ones stay in it. */
const isAlive = (pid: number): boolean => {
  if (!signalGroup(pid, 0)) return false
  const members = process.platform === "linux" ? statesOf(pid) : []
  return members.length === 0 || members.some((state) => state !== "Z" && state !== "X")
}

/** What /proc says of the members; nothing where it cannot be read. */
const statesOf = (pid: number): ReadonlyArray<string> => {
  try {
    return readdirSync("/proc").flatMap((entry) => (/^\d+$/.test(entry) ? stateOf(entry, pid) : []))
  } catch {
    return []
  }
}

const stateOf = (entry: string, group: number): ReadonlyArray<string> => {
  try {
    const stat = readFileSync(`/proc/${entry}/stat`, "utf8")
    const [state = "", , itsGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(itsGroup) === group ? [state] : []
  } catch {
    return []
  }
}

// ---- the last resort -----------------------------------------------------------------------------------------------

type Kill = (signal: NodeJS.Signals) => void

const live = new Set<Kill>()
let isWatching = false

const register = (kill: Kill) => {
  live.add(kill)
  if (isWatching) return
  isWatching = true
  process.on("exit", () => live.forEach((end) => end("SIGKILL")))
}
