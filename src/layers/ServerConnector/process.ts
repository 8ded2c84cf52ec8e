/**
 * A server's process tree as a scoped resource. The child leads its own group; closing the Scope ends its stdin, then
 * sends SIGTERM to the group, then SIGKILL, and returns when nothing of the group is alive. Groups that are still there
 * when this process itself exits are killed on the way out.
 */
import { spawn as spawnChild } from "cross-spawn"
import { execFile, type ChildProcessByStdio } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import type { Readable, Writable } from "node:stream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { FORCE_KILL_AFTER_MS, STDIN_GRACE_MS } from "../../schemas/Defaults.ts"

export interface ProcessSpec {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Record<string, string>
  readonly cwd: string | undefined
}

export interface ExitStatus {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ServerProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Done when the leader has exited; its group may still hold the pipes. */
  readonly exited: Effect.Effect<ExitStatus>
  /** Whether the whole group was gone when the leader left. Its number may belong to a stranger by now. */
  readonly gone: () => boolean
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const POLL_MS = 20
const onWindows = process.platform === "win32"

// ---- groups --------------------------------------------------------------------------------------------------------

const liveGroups = new Set<number>()
let exitHookInstalled = false

/** The last resort: an exit that runs no finalizers still takes the process trees along. */
const installExitHook = () => {
  if (exitHookInstalled) return
  exitHookInstalled = true
  process.on("exit", () => {
    for (const group of liveGroups) signalGroup(group, "SIGKILL")
  })
}

/** Signals a group that we made (the child was spawned detached, so its pid is the group's). */
const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  if (onWindows) {
    if (signal !== 0) execFile("taskkill", ["/pid", String(pid), "/T", "/F"], () => {})
    return false
  }
  try {
    process.kill(-pid, signal)
    return true
  } catch {
    return false
  }
}

/** What cannot be listed is taken for alive: a signal too many hurts nobody. */
const processes = (): ReadonlyArray<string> => {
  try {
    return readdirSync("/proc")
  } catch {
    return []
  }
}

/** Whether the group still has a member that is more than an unreaped zombie. */
const groupAlive = (pid: number): boolean => {
  if (!signalGroup(pid, 0)) return false
  if (process.platform !== "linux") return true
  // Where nobody reaps orphans, dead members keep the group: only /proc tells them apart.
  const entries = processes()
  if (entries.length === 0) return true
  return entries.some((entry) => {
    if (!/^\d+$/.test(entry)) return false
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8")
      const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return Number(group) === pid && state !== "Z" && state !== "X"
    } catch {
      return false
    }
  })
}

// ---- start ---------------------------------------------------------------------------------------------------------

/** Why a process could not be started: a sentence without secrets, and whether it may work in a moment. */
export interface LaunchProblem {
  readonly detail: string
  readonly passing: boolean
}

const PASSING = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"])

const codeOf = (error: unknown) =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

const spawnProblem = (error: unknown, spec: ProcessSpec): LaunchProblem => ({
  detail: inWords(codeOf(error), spec),
  passing: PASSING.has(codeOf(error))
})

/** Why a spawn failed, in words that say what to mend. */
const inWords = (code: string, spec: ProcessSpec): string => {
  if (code === "ENOENT") return "command not found; check its spelling and PATH, or write its full path"
  if (code === "EACCES" || code === "EPERM") return "permission denied; is it an executable file?"
  if (code === "E2BIG") return "arguments and environment are too long"
  // Node's own messages for bad arguments quote the argument, which may hold a secret.
  if (code === "ERR_INVALID_ARG_VALUE") return "command, args or env hold a NUL character"
  return code === "" ? `the system refused to run ${spec.command}` : `the system refused (${code})`
}

const cwdProblem = (cwd: string | undefined): string | undefined => {
  if (cwd === undefined) return undefined
  try {
    return statSync(cwd).isDirectory() ? undefined : `cwd ${cwd} is not a directory`
  } catch {
    return `cwd ${cwd} does not exist`
  }
}

const start = (spec: ProcessSpec): Effect.Effect<ServerProcess, LaunchProblem> =>
  Effect.callback((resume) => {
    const problem = cwdProblem(spec.cwd)
    if (problem !== undefined) return resume(Effect.fail({ detail: problem, passing: false }))
    let child: Child
    try {
      child = spawnChild(spec.command, spec.args, {
        env: spec.env,
        ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
        stdio: ["pipe", "pipe", "pipe"],
        detached: !onWindows,
        windowsHide: true
      })
    } catch (error) {
      return resume(Effect.fail(spawnProblem(error, spec)))
    }
    const exited = Deferred.makeUnsafe<ExitStatus>()
    let gone = false
    child.once("error", (error) => resume(Effect.fail(spawnProblem(error, spec))))
    child.once("exit", (code, signal) => {
      gone = !groupAlive(child.pid!)
      if (gone) liveGroups.delete(child.pid!)
      Deferred.doneUnsafe(exited, Effect.succeed({ code, signal }))
    })
    child.once("spawn", () => {
      const pid = child.pid!
      installExitHook()
      liveGroups.add(pid)
      resume(
        Effect.succeed({
          pid,
          stdin: child.stdin,
          stdout: child.stdout,
          stderr: child.stderr,
          exited: Deferred.await(exited),
          gone: () => gone
        })
      )
    })
  })

// ---- stop ----------------------------------------------------------------------------------------------------------

const groupGone = (pid: number) =>
  Effect.suspend(() => (groupAlive(pid) ? Effect.sleep(POLL_MS) : Effect.fail("gone"))).pipe(
    Effect.forever,
    Effect.ignore
  )

const stop = Effect.fnUntraced(function* (child: ServerProcess) {
  const { pid } = child
  child.stdin.end()
  yield* child.exited.pipe(Effect.timeoutOption(STDIN_GRACE_MS))
  // A leader that left politely may have left others behind, and a crashed one certainly cleaned up nothing.
  if (!child.gone() && (groupAlive(pid) || onWindows)) {
    signalGroup(pid, "SIGTERM")
    yield* groupGone(pid).pipe(Effect.timeoutOption(FORCE_KILL_AFTER_MS))
  }
  if (!child.gone() && groupAlive(pid)) {
    signalGroup(pid, "SIGKILL")
    yield* groupGone(pid).pipe(Effect.timeoutOption(STDIN_GRACE_MS))
  }
  liveGroups.delete(pid)
  // A stranger that left the group may still hold the other ends; ours must not keep this process alive.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
})

export const launch = (spec: ProcessSpec): Effect.Effect<ServerProcess, LaunchProblem, Scope.Scope> =>
  Effect.acquireRelease(start(spec), stop)
