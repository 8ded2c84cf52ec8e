/**
 * The process tree of a server as a scoped resource. The child leads a process group of its own; it and all that it starts carry a
 * tag. Closing the Scope ends its stdin, then sends SIGTERM to what is left, then SIGKILL, and returns when nothing is alive, within
 * six seconds. If this process exits first, it kills its trees on the way; if it is killed itself, the next gateway does (sweep.ts).
 */
import { spawn as spawnChild, type ChildProcessByStdio } from "node:child_process"
import { statSync } from "node:fs"
import type { Readable, Writable } from "node:stream"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { FORCE_KILL_AFTER_MS, KILLED_WITHIN_MS, STDIN_GRACE_MS } from "../../schemas/defaults/Processes.ts"
import { descriptorsMax } from "../descriptors.ts"
import { codeOf } from "../ownFiles.ts"
import { descriptorsNeeded, uncoverable, withNothingElseOpen } from "./descriptors.ts"
import { ownSelf } from "./procfs.ts"
import { makeMark } from "./mark.ts"
import { beginSweep } from "./sweep.ts"
import { ThisProcess, type Here } from "./ThisProcess.ts"
import { makeTag, TAG_VARIABLE, withTag } from "./tag.ts"
import { makeTree, type ProcessTree, signalGroup } from "./tree.ts"
import { NOT_FOUND, windowsSpawn } from "./windows.ts"
import { isThere, placesOf } from "./paths.ts"

export interface ProcessSpec {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Record<string, string>
  readonly cwd: string | undefined
  /** The command is a sandbox around the server, which ends with it. */
  readonly isWrapper?: boolean
  /** What the command can read at descriptor 3. */
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
  /** Completes when the leader has exited; others of its group may still hold the pipes. */
  readonly exited: Effect.Effect<ExitStatus>
  readonly tree: ProcessTree
  /** It has ended: nothing watches it any more. */
  readonly forget: () => void
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const onWindows = process.platform === "win32"

// ---- start ---------------------------------------------------------------------------------------------------------

/** Why a process could not be started: a sentence without secrets, and whether a retry may help. */
export interface LaunchProblem {
  readonly detail: string
  readonly passing: boolean
}

const PASSING = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM"])

const spawnProblem = (error: unknown, spec: ProcessSpec, descriptors: number): LaunchProblem => ({
  detail: inWords(codeOf(error) ?? "", spec, descriptors),
  passing: PASSING.has(codeOf(error) ?? "")
})

/** Says why a spawn failed and what to do about it. */
const inWords = (code: string, spec: ProcessSpec, descriptors: number): string => {
  if (code === "ENOENT") return NOT_FOUND
  if (code === "EACCES" || code === "EPERM") return "permission denied; is it an executable file?"
  if (code === "EMFILE") return "this process has as many files open as it may (ulimit -n)"
  if (code === "EINVAL" && descriptors > descriptorsMax()) {
    return `a file that was left open to this process has too high a number: start it with ulimit -n ${descriptors} or more`
  }
  if (code === "E2BIG") return "arguments and environment are too long"
  // Node's own message quotes the argument, which may contain a secret.
  if (code === "ERR_INVALID_ARG_VALUE") return "command, args or env contain a NUL character"
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

/** Whether the program is nowhere in PATH. Looking is faster than spawning, which takes milliseconds. */
const isNowhere = ({ command, cwd = process.cwd(), env: { PATH } }: ProcessSpec): boolean =>
  !onWindows && !command.includes("\0") && PATH !== undefined && !placesOf(command, PATH, cwd).some(isThere)

const start = (
  { killAtExit, leftOpen, nextConnection, surveys, watch, withMark }: Here,
  server: string,
  spec: ProcessSpec
): Effect.Effect<ServerProcess, LaunchProblem> =>
  Effect.callback((resume) => {
    const open = leftOpen()
    const problem = cwdProblem(spec.cwd) ?? uncoverable(open)
    if (problem !== undefined) return resume(Effect.fail({ detail: problem, passing: false }))
    if (isNowhere(spec)) return resume(Effect.fail({ detail: NOT_FOUND, passing: false }))
    const failed = (error: unknown) => resume(Effect.fail(spawnProblem(error, spec, descriptorsNeeded(open))))
    const tag = makeTag(ownSelf(), nextConnection(), server)
    const env = { ...spec.env, [TAG_VARIABLE]: withTag(process.env[TAG_VARIABLE], tag) }
    const mark = makeMark(ownSelf())
    // What is in a sandbox ends with it and needs no mark.
    const marked = spec.isWrapper === true ? spec : withMark({ ...spec, env }, mark)
    const what = onWindows ? windowsSpawn(spec) : { ...marked, verbatim: false }
    if (typeof what === "string") return resume(Effect.fail({ detail: what, passing: false }))
    let child: Child
    try {
      child = withNothingElseOpen(
        open,
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
      return failed(error)
    }
    child.once("error", failed)
    // It did not start. If no file could be opened, it has no pipes either.
    if (child.pid === undefined) return
    const fourth = child.stdio[3]
    if (fourth !== null && fourth !== undefined && "end" in fourth) fourth.on("error", () => {}).end(spec.fourth)
    const exited = Deferred.makeUnsafe<ExitStatus>()
    let gone = false
    child.once("exit", (code, signal) => {
      // As long as members of the group are left, no stranger gets its number.
      gone = onWindows || !signalGroup(child.pid!, 0)
      Deferred.doneUnsafe(exited, Effect.succeed({ code, signal }))
    })
    child.once("spawn", () => {
      const pid = child.pid!
      const tree = makeTree({
        pid,
        tag,
        mark: mark.text,
        survey: surveys.shared,
        gone: () => gone,
        leaderIsWrapper: spec.isWrapper === true
      })
      const ends = [watch(tree), killAtExit(tree.killNow)]
      resume(
        Effect.succeed({
          pid,
          stdin: child.stdin,
          stdout: child.stdout,
          stderr: child.stderr,
          exited: Deferred.await(exited),
          tree,
          forget: () => ends.forEach((end) => end())
        })
      )
    })
  })

// ---- stop ----------------------------------------------------------------------------------------------------------

const stop = Effect.fnUntraced(function* (
  server: string,
  { exited, forget, stderr, stdin, stdout, tree }: ServerProcess
) {
  const politely = Effect.gen(function* () {
    // While the leader lives, its children are known by it, whatever is in their environment.
    yield* tree.look.pipe(Effect.timeoutOption(STDIN_GRACE_MS))
    stdin.end()
    yield* exited.pipe(Effect.timeoutOption(STDIN_GRACE_MS))
    // A leader that exited cleanly may have left others behind, and a crashed one has cleaned up nothing.
    yield* tree.end("SIGTERM")
  })
  yield* politely.pipe(
    Effect.timeoutOrElse({
      duration: FORCE_KILL_AFTER_MS,
      orElse: () => tree.end("SIGKILL").pipe(Effect.timeoutOption(KILLED_WITHIN_MS))
    })
  )
  const left = tree.left()
  if (left.length > 0) {
    yield* Effect.logWarning(`[${server}] the system does not end these processes: ${left.join(", ")}`)
  }
  forget()
  // A process that was not found may still hold the other ends of the pipes; ours must not keep this process alive.
  for (const stream of [stdin, stdout, stderr]) stream.destroy()
})

/** Starts a server; closing the Scope ends its whole process tree. */
export const launch = (server: string, spec: ProcessSpec): Effect.Effect<ServerProcess, LaunchProblem, Scope.Scope> =>
  Effect.flatMap(ThisProcess, (here) =>
    beginSweep.pipe(
      Effect.andThen(Effect.yieldNow),
      Effect.andThen(Effect.acquireRelease(start(here, server, spec), (child) => stop(server, child))),
      // Around everything: a server that waits for its turn can be interrupted.
      here.starting.withPermit
    )
  )
