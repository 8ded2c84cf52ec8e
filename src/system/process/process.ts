/**
 * A server's process tree as a scoped resource. The child leads its own group, and it and all it starts carry a tag. Closing
 * the Scope ends its stdin, then sends SIGTERM to whatever is left, then SIGKILL, and returns when nothing is alive, within six
 * seconds. Trees that are still there when this process itself exits are killed on the way out; what is left when it has no
 * way out is ended by the next one.
 */
import { spawn as spawnChild, type ChildProcessByStdio } from "node:child_process"
import { statSync } from "node:fs"
import type { Readable, Writable } from "node:stream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { FORCE_KILL_AFTER_MS, KILLED_WITHIN_MS, STDIN_GRACE_MS } from "../../schemas/defaults/Processes.ts"
import { descriptorsMax } from "../descriptors.ts"
import { descriptorsNeeded, uncoverable, withNothingElseOpen } from "./descriptors.ts"
import { ownSelf } from "./procfs.ts"
import { makeMark, withMark } from "./mark.ts"
import { type Survey, surveyNow } from "./survey.ts"
import { beginSweep } from "./sweep.ts"
import { makeTag, TAG_VARIABLE, withTag } from "./tag.ts"
import { makeTree, type ProcessTree, signalGroup } from "./tree.ts"
import { watch } from "./watch.ts"
import { windowsSpawn } from "./windows.ts"
import { isThere, placesOf } from "./paths.ts"

export interface ProcessSpec {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Record<string, string>
  readonly cwd: string | undefined
  /** The command only stands between us and the server (a sandbox), and takes it along when it ends. */
  readonly isWrapper?: boolean
  /** What the command finds at descriptor 3. */
  readonly fourth?: Buffer | undefined
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
  readonly tree: ProcessTree
  /** Looks for what it starts no more. */
  readonly unwatch: () => void
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const onWindows = process.platform === "win32"

// ---- the last resort -----------------------------------------------------------------------------------------------

const liveTrees = new Set<ProcessTree>()
let exitHookInstalled = false

/** An exit that runs no finalizers still takes the process trees along. */
const installExitHook = () => {
  if (exitHookInstalled) return
  exitHookInstalled = true
  process.on("exit", () => {
    let seen: Survey | undefined
    for (const tree of liveTrees) tree.killNow(() => (seen ??= surveyNow()))
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
  if (code === "EMFILE") return "this process has as many files open as it may (ulimit -n)"
  if (code === "EINVAL" && descriptorsNeeded() > descriptorsMax()) {
    return `a file that was left open to this process has too high a number: start it with ulimit -n ${descriptorsNeeded()} or more`
  }
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

/** A program that is at no place where the system would look for it. To start a process that would tell takes milliseconds. */
const isNowhere = ({ command, cwd = process.cwd(), env: { PATH } }: ProcessSpec): boolean =>
  !onWindows && !command.includes("\0") && PATH !== undefined && !placesOf(command, PATH, cwd).some(isThere)

let connections = 0

const start = (server: string, spec: ProcessSpec): Effect.Effect<ServerProcess, LaunchProblem> =>
  Effect.callback((resume) => {
    const problem = cwdProblem(spec.cwd) ?? uncoverable()
    if (problem !== undefined) return resume(Effect.fail({ detail: problem, passing: false }))
    if (isNowhere(spec)) return resume(Effect.fail({ detail: inWords("ENOENT", spec), passing: false }))
    const tag = makeTag(ownSelf(), ++connections, server)
    const env = { ...spec.env, [TAG_VARIABLE]: withTag(process.env[TAG_VARIABLE], tag) }
    const mark = makeMark(ownSelf())
    // A sandbox takes along what is in it.
    const marked = spec.isWrapper === true ? spec : withMark({ ...spec, env }, mark)
    const what = onWindows ? windowsSpawn(spec) : { ...marked, verbatim: false }
    if (typeof what === "string") return resume(Effect.fail({ detail: what, passing: false }))
    let child: Child
    try {
      child = withNothingElseOpen(
        spec.fourth !== undefined,
        (stdio) =>
          spawnChild(what.command, what.args, {
            env,
            ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
            stdio,
            detached: !onWindows,
            windowsHide: true,
            windowsVerbatimArguments: what.verbatim
            // With pipes for the first three.
          }) as Child
      )
    } catch (error) {
      return resume(Effect.fail(spawnProblem(error, spec)))
    }
    child.once("error", (error) => resume(Effect.fail(spawnProblem(error, spec))))
    // It did not start. Without a file that could be opened, it has no pipes either.
    if (child.pid === undefined) return
    const fourth = child.stdio[3]
    if (fourth !== null && fourth !== undefined && "end" in fourth) fourth.on("error", () => {}).end(spec.fourth)
    const exited = Deferred.makeUnsafe<ExitStatus>()
    let gone = false
    child.once("exit", (code, signal) => {
      // Members that are left keep the number of the group from strangers.
      gone = onWindows || !signalGroup(child.pid!, 0)
      Deferred.doneUnsafe(exited, Effect.succeed({ code, signal }))
    })
    child.once("spawn", () => {
      const pid = child.pid!
      const tree = makeTree({ pid, tag, mark: mark.text, gone: () => gone, leaderIsWrapper: spec.isWrapper === true })
      installExitHook()
      liveTrees.add(tree)
      resume(
        Effect.succeed({
          pid,
          stdin: child.stdin,
          stdout: child.stdout,
          stderr: child.stderr,
          exited: Deferred.await(exited),
          tree,
          unwatch: watch(tree)
        })
      )
    })
  })

// ---- stop ----------------------------------------------------------------------------------------------------------

const stop = Effect.fnUntraced(function* (
  server: string,
  { exited, stderr, stdin, stdout, tree, unwatch }: ServerProcess
) {
  const forceAt = performance.now() + FORCE_KILL_AFTER_MS
  // While it lives, its children are known by it, whatever they made of their environment.
  yield* tree.look.pipe(Effect.timeoutOption(STDIN_GRACE_MS))
  stdin.end()
  yield* exited.pipe(Effect.timeoutOption(STDIN_GRACE_MS))
  // A leader that left politely may have left others behind, and a crashed one certainly cleaned up nothing.
  yield* tree.end("SIGTERM").pipe(
    Effect.timeoutOrElse({
      duration: Math.max(0, forceAt - performance.now()),
      orElse: () => tree.end("SIGKILL").pipe(Effect.timeoutOption(KILLED_WITHIN_MS))
    })
  )
  const left = tree.left()
  if (left.length > 0) {
    yield* Effect.logWarning(`[${server}] the system does not end these processes: ${left.join(", ")}`)
  }
  unwatch()
  liveTrees.delete(tree)
  // What could not be found may still hold the other ends; ours must not keep this process alive.
  for (const stream of [stdin, stdout, stderr]) stream.destroy()
})

/** To start a process holds this one up for milliseconds: of many that are to be started, one in each turn of the loop. */
const starting = Semaphore.makeUnsafe(1)

/** Starts a server; closing the Scope ends all of it. */
export const launch = (server: string, spec: ProcessSpec): Effect.Effect<ServerProcess, LaunchProblem, Scope.Scope> =>
  beginSweep.pipe(
    Effect.andThen(Effect.yieldNow),
    Effect.andThen(Effect.acquireRelease(start(server, spec), (child) => stop(server, child))),
    // Around all of it: who waits for its turn can be interrupted.
    starting.withPermit
  )
