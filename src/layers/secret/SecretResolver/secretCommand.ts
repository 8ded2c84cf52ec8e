/**
 * Runs a command that knows a secret, and hands back what it wrote. Never through a shell. The command leads a process
 * group of its own; when it has ended, wrote too much or is no longer wanted, whatever is left of the group is told to end,
 * then killed. Errors are in our words: what a command writes may quote the value.
 */
import { spawn as spawnChild } from "cross-spawn"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ChildProcessByStdio } from "node:child_process"
import type { Readable } from "node:stream"
import {
  SECRET_ANSWER_MAX_BYTES,
  SECRET_COMMAND_COMPLAINT_MAX_BYTES,
  SECRET_COMMAND_PIPES_MS
} from "../../../schemas/defaults/Secrets.ts"
import * as ProcessGroup from "./processGroup.ts"

export interface CommandSpec {
  /** A program, by its absolute path or found in the PATH of `env`. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** The whole environment of the command; see `baseEnvironment`. */
  readonly env: Readonly<Record<string, string>>
  /** Of its standard output; `SECRET_ANSWER_MAX_BYTES` when left out. */
  readonly maxBytes?: number
}

export interface CommandResult {
  readonly stdout: string
  /** The beginning of it, to tell one failure from another. Not to be shown: it may quote the value. */
  readonly stderr: string
  readonly code: number
}

export interface CommandFailed {
  /** What became of it, to be put behind its name: `is not installed`, `ended with signal SIGSEGV`. */
  readonly detail: string
  /** There is no such program. */
  readonly missing: boolean
}

const failed = (detail: string, missing = false): CommandFailed => ({ detail, missing })

export const run = (spec: CommandSpec): Effect.Effect<CommandResult, CommandFailed> =>
  Effect.acquireUseRelease(start(spec), ({ outcome }) => outcome, stop)

// ---- environment ---------------------------------------------------------------------------------------------------

const BASE = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TMPDIR", "TZ"]
const BASE_WINDOWS = [
  "PATH",
  "PATHEXT",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "COMSPEC",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROCESSOR_ARCHITECTURE"
]

/** What a command sees of the environment of this process: harmless names, and those that begin with one of `prefixes`. */
export const baseEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  prefixes: ReadonlyArray<string> = [],
  platform: NodeJS.Platform = process.platform
): Record<string, string> => {
  const onWindows = platform === "win32"
  const base = new Set(onWindows ? BASE_WINDOWS : BASE)
  const starts = [...prefixes, ...(onWindows ? [] : ["LC_"])]
  const isPassed = (name: string) => base.has(name) || starts.some((prefix) => name.startsWith(prefix))
  // Names are told apart by their case, except on Windows. Functions that bash exports are no data.
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        isPassed(onWindows ? entry[0].toUpperCase() : entry[0]) && entry[1] !== undefined && !entry[1].startsWith("()")
    )
  )
}

// ---- start ---------------------------------------------------------------------------------------------------------

type Child = ChildProcessByStdio<null, Readable, Readable>

interface Running {
  readonly child: Child
  readonly group: ProcessGroup.ProcessGroup
  readonly outcome: Effect.Effect<CommandResult, CommandFailed>
}

const start = (spec: CommandSpec): Effect.Effect<Running, CommandFailed> =>
  Effect.callback((resume) => {
    let child: Child
    try {
      child = spawnChild(spec.command, spec.args, {
        env: spec.env,
        // Nothing to read: a command that asks for a password is told at once that nobody answers.
        stdio: ["ignore", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true
      })
    } catch (error) {
      return resume(Effect.fail(startProblem(error)))
    }
    child.once("error", (error) => resume(Effect.fail(startProblem(error))))
    // It did not start. Without a file that could be opened, it has no pipes either.
    if (child.pid === undefined) return
    const outcome = listen(child, spec.maxBytes ?? SECRET_ANSWER_MAX_BYTES)
    child.once("spawn", () => resume(Effect.succeed({ child, group: ProcessGroup.make(child), outcome })))
  })

/** Node's own messages quote arguments, which may hold a secret. */
const startProblem = (error: unknown): CommandFailed => {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "unknown reason"
  if (code === "ENOENT") return failed("is not installed", true)
  if (code === "EACCES" || code === "EPERM") return failed("could not be started: permission denied")
  if (code === "ERR_INVALID_ARG_VALUE") return failed("could not be started: what it is given holds a NUL character")
  return failed(`could not be started (${code})`)
}

/** Everything that is written is read, so that nothing blocks the command; no more is kept than is allowed. */
const listen = (child: Child, maxBytes: number): Running["outcome"] => {
  const done = Deferred.makeUnsafe<CommandResult, CommandFailed>()
  const finish = (outcome: Effect.Effect<CommandResult, CommandFailed>) => void Deferred.doneUnsafe(done, outcome)
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
    if (stderrBytes < SECRET_COMMAND_COMPLAINT_MAX_BYTES) stderr.push(chunk)
    stderrBytes += chunk.length
  })
  // On Windows, that there is no such program may be found out late.
  child.on("error", (error) => finish(Effect.fail(startProblem(error))))
  for (const stream of [child.stdout, child.stderr]) stream.on("error", () => {})
  child.once("exit", () => void Deferred.doneUnsafe(exited, Effect.void))
  child.once("close", () => void Deferred.doneUnsafe(closed, Effect.void))

  const ended = Effect.gen(function* () {
    yield* Deferred.await(exited)
    // All is read when nobody holds the other ends of the pipes any more. Somebody may, for ever.
    yield* Effect.timeoutOption(Deferred.await(closed), SECRET_COMMAND_PIPES_MS)
    const { exitCode, signalCode } = child
    if (exitCode === null) return yield* Effect.fail(failed(`ended with signal ${signalCode ?? "unknown"}`))
    return { stdout: yield* decode(stdout), stderr: Buffer.concat(stderr).toString("utf8"), code: exitCode }
  })
  return Effect.raceFirst(Deferred.await(done), ended)
}

const decode = (chunks: ReadonlyArray<Uint8Array>): Effect.Effect<string, CommandFailed> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)),
    catch: () => failed("did not write UTF-8 text")
  })

// ---- stop ----------------------------------------------------------------------------------------------------------

const stop = Effect.fnUntraced(function* ({ child, group }: Running) {
  yield* group.end
  // Who left the group may still hold the other ends; ours must not keep this process alive.
  child.stdout.destroy()
  child.stderr.destroy()
})
