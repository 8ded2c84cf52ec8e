/**
 * Helper processes: short-lived commands that are run for their output. No shell is used. The command leads a process group of its own;
 * when it has ended, has written too much or is no longer wanted, what is left of the group is ended, first politely, then by force. If
 * this process exits first, it kills the group. Errors are in our own words, because output may quote a secret.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { spawn as spawnChild, type ChildProcessByStdio } from "node:child_process"
import type { Readable } from "node:stream"
import { FORCE_KILL_AFTER_MS, HELPER_PIPES_MS, HELPER_STDERR_MAX_BYTES } from "../schemas/defaults/Processes.ts"
import { codeOf } from "./ownFiles.ts"
import { ThisProcess, type Here } from "./process/ThisProcess.ts"
import { groupOf, type ProcessTree } from "./process/tree.ts"
import { NOT_FOUND, windowsSpawn } from "./process/windows.ts"

export interface HelperSpec {
  /** A program, by its absolute path or found in the PATH of `env`. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>
  /** The most that it may write to stdout. */
  readonly maxBytes: number
}

export interface HelperResult {
  readonly stdout: string
  /** The beginning of it, to distinguish failures. Do not show it: it may quote a secret. */
  readonly stderr: string
  readonly code: number
}

export interface HelperFailed {
  /** What happened, to be put behind the name of the command: `is not installed`, `ended with signal SIGSEGV`. */
  readonly detail: string
  /** There is no such program. */
  readonly missing: boolean
}

const onWindows = process.platform === "win32"
const NOT_INSTALLED = "is not installed"

const failed = (detail: string, missing = false): HelperFailed => ({ detail, missing })

/** Runs the command to its end. Interruption ends it. */
export const runHelper = (spec: HelperSpec): Effect.Effect<HelperResult, HelperFailed> =>
  Effect.flatMap(ThisProcess, (here) => Effect.acquireUseRelease(start(spec, here), ({ outcome }) => outcome, stop))

type Child = ChildProcessByStdio<null, Readable, Readable>

interface Running {
  readonly child: Child
  readonly group: ProcessTree
  readonly forget: () => void
  readonly outcome: Effect.Effect<HelperResult, HelperFailed>
}

const start = (spec: HelperSpec, { killAtExit }: Here): Effect.Effect<Running, HelperFailed> =>
  Effect.callback((resume) => {
    const what = onWindows ? windowsSpawn({ ...spec, cwd: undefined }) : { ...spec, verbatim: false }
    if (typeof what === "string") {
      const missing = what === NOT_FOUND
      return resume(Effect.fail(failed(missing ? NOT_INSTALLED : `could not be started: ${what}`, missing)))
    }
    let child: Child
    try {
      child = spawnChild(what.command, what.args, {
        env: spec.env,
        // Nothing to read: a command that asks for a password learns immediately that nobody answers.
        stdio: ["ignore", "pipe", "pipe"],
        detached: !onWindows,
        windowsHide: true,
        windowsVerbatimArguments: what.verbatim
      })
    } catch (error) {
      return resume(Effect.fail(startProblem(error)))
    }
    child.once("error", (error) => resume(Effect.fail(startProblem(error))))
    // It did not start. If no file could be opened, it has no pipes either.
    if (child.pid === undefined) return
    const outcome = listen(child, spec.maxBytes)
    child.once("spawn", () => {
      const group = groupOf(child)
      resume(Effect.succeed({ child, group, forget: killAtExit(group.killNow), outcome }))
    })
  })

/** Node's own messages quote arguments, which may contain a secret. */
const startProblem = (error: unknown): HelperFailed => {
  const code = codeOf(error) ?? "unknown reason"
  if (code === "ENOENT") return failed(NOT_INSTALLED, true)
  if (code === "EACCES" || code === "EPERM") return failed("could not be started: permission denied")
  if (code === "ERR_INVALID_ARG_VALUE")
    return failed("could not be started: its arguments or variables contain a NUL character")
  return failed(`could not be started (${code})`)
}

/** Reads all output, so that the command never blocks, and keeps no more than is allowed. */
const listen = (child: Child, maxBytes: number): Running["outcome"] => {
  const done = Deferred.makeUnsafe<HelperResult, HelperFailed>()
  const finish = (outcome: Effect.Effect<HelperResult, HelperFailed>) => void Deferred.doneUnsafe(done, outcome)
  const exited = Deferred.makeUnsafe<void>()
  const closed = Deferred.makeUnsafe<void>()
  const stdout: Array<Uint8Array> = []
  const stderr: Array<Uint8Array> = []
  let stdoutBytes = 0
  let stderrBytes = 0

  child.stdout.on("data", (chunk: Uint8Array) => {
    stdoutBytes += chunk.length
    if (stdoutBytes <= maxBytes) stdout.push(chunk)
    else finish(Effect.fail(failed(`wrote more than ${maxBytes / 1024} KiB`)))
  })
  child.stderr.on("data", (chunk: Uint8Array) => {
    if (stderrBytes < HELPER_STDERR_MAX_BYTES) stderr.push(chunk)
    stderrBytes += chunk.length
  })
  // On Windows, a missing program may be reported late.
  child.on("error", (error) => finish(Effect.fail(startProblem(error))))
  for (const stream of [child.stdout, child.stderr]) stream.on("error", () => {})
  child.once("exit", () => void Deferred.doneUnsafe(exited, Effect.void))
  child.once("close", () => void Deferred.doneUnsafe(closed, Effect.void))

  const ended = Effect.gen(function* () {
    yield* Deferred.await(exited)
    // All is read when nobody holds the other ends of the pipes any more. A process that left the group may hold them without end.
    yield* Effect.timeoutOption(Deferred.await(closed), HELPER_PIPES_MS)
    const { exitCode, signalCode } = child
    if (exitCode === null) return yield* Effect.fail(failed(`ended with signal ${signalCode ?? "unknown"}`))
    return { stdout: yield* decode(stdout), stderr: Buffer.concat(stderr).toString("utf8"), code: exitCode }
  })
  return Effect.raceFirst(Deferred.await(done), ended)
}

const decode = (chunks: ReadonlyArray<Uint8Array>): Effect.Effect<string, HelperFailed> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)),
    catch: () => failed("did not write UTF-8 text")
  })

const stop = Effect.fnUntraced(function* ({ child, forget, group }: Running) {
  yield* group.end("SIGTERM").pipe(
    Effect.timeoutOrElse({
      duration: FORCE_KILL_AFTER_MS,
      orElse: () => group.end("SIGKILL").pipe(Effect.timeoutOption(FORCE_KILL_AFTER_MS))
    })
  )
  forget()
  // A process that left the group may still hold the other ends of the pipes; ours must not keep this process alive.
  child.stdout.destroy()
  child.stderr.destroy()
})
