/**
 * A server's launch inside a sandbox (Linux, bubblewrap): the system's programs and its own files read-only, the listed directories, its own
 * /tmp and home, no network unless allowed, and only its own processes. If that is not possible, the server is not started.
 */
import { homedir } from "node:os"
import { isAbsolute, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { InvalidLaunch, SpawnFailed } from "../../../../schemas/connection/ConnectError.ts"
import type { Sandbox } from "../../../../schemas/connection/Sandbox.ts"
import type { ProcessSpec } from "../../../../system/process/process.ts"
import { findBubblewrap } from "./bubblewrap.ts"
import { keyringFilter } from "./filter.ts"
import { type Guarded, guardProblem, NOTHING_GUARDED, toBeCovered } from "./guarded.ts"
import { isOpenToChange, isSeen, pathProblem, type Shown, viewArguments, writableOf } from "./mounts.ts"
import {
  directoryOf,
  findProgram,
  interpreterOf,
  isCode,
  isDirectory,
  isFile,
  isWithin,
  ownDirectories,
  realOf,
  reveal
} from "../../../../system/process/paths.ts"

const NAMESPACES = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
/** Limit for interpreters that are scripts themselves. */
const INTERPRETERS_MAX = 4

interface Programs {
  /** The command and its interpreters. They may need the files beside them. */
  readonly started: ReadonlyArray<string>
  /** Code files among the arguments. */
  readonly code: ReadonlyArray<string>
}

/** Only files that the server cannot replace: nothing is shown because of a file that it may have written. */
const programsOf = (
  command: string,
  { args, env }: ProcessSpec,
  cwd: string,
  writable: ReadonlyArray<string>
): Programs => {
  const isFixed = (file: string) => {
    const revealed = reveal(file)
    if (revealed === undefined || isOpenToChange(revealed, writable)) return false
    return !writable.some((directory) => isWithin(revealed.real, directory))
  }
  const started: Array<string> = []
  for (let next: string | undefined = command; next !== undefined && isFixed(next) && !started.includes(next);) {
    started.push(next)
    const named: string | undefined = started.length > INTERPRETERS_MAX ? undefined : interpreterOf(realOf(next))
    next = named === undefined ? undefined : findProgram(named, env["PATH"] ?? "", cwd)
  }
  const code = args.map((argument) => resolve(cwd, argument)).filter((file) => isCode(file) && isFixed(file))
  return { started, code }
}

/** These would also affect bubblewrap, and could make it load code that the server has written. */
const LOADER_VARIABLE = /^(?:LD_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$)/

const ROOT_WRITES =
  "this gateway runs as root, and so would a set-uid program that the server leaves where its sandbox lets it write: run the " +
  "gateway as another user, or let it write on file systems alone that are mounted nosuid"

const readable = (path: string): Shown => ({ path, access: "read" })

export interface SandboxedSpec extends ProcessSpec {
  /** Files of certificate authorities that the host trusts, for a server with a network. */
  readonly trusted?: ReadonlyArray<string>
}

/** Only files, and only if nothing that the server can write decides which file it is. */
const trustedOf = ({ trusted = [] }: SandboxedSpec, writable: ReadonlyArray<string>): ReadonlyArray<Shown> =>
  trusted.filter((path) => isFile(path) && pathProblem(path, writable) === undefined).map(readable)

/** The launch that creates the sandbox and starts the server in it. */
export const inSandbox = Effect.fnUntraced(function* (
  server: string,
  sandbox: Sandbox,
  spec: SandboxedSpec,
  guarded: Guarded = NOTHING_GUARDED,
  find: typeof findBubblewrap = findBubblewrap
): Effect.fn.Return<ProcessSpec, InvalidLaunch | SpawnFailed> {
  const invalid = (detail: string) => new InvalidLaunch({ server, detail })
  const { canLimit, path } = yield* find().pipe(Effect.mapError(invalid))
  const cwd = spec.cwd ?? process.cwd()
  const command = findProgram(spec.command, spec.env["PATH"] ?? "", cwd)
  if (command === undefined) {
    const detail = "command not found; check its spelling and PATH, or write its full path"
    return yield* new SpawnFailed({ server, command: spec.command, detail })
  }
  if (spec.cwd !== undefined && !isDirectory(spec.cwd)) {
    return yield* new SpawnFailed({ server, command: spec.command, detail: `cwd ${spec.cwd} is not a directory` })
  }
  const listed: ReadonlyArray<Shown> = [
    ...(spec.cwd === undefined ? [] : [readable(spec.cwd)]),
    ...sandbox.read.map(readable),
    ...sandbox.write.map((each): Shown => ({ path: each, access: "write" }))
  ]
  const writable = writableOf(listed)
  for (const each of listed) {
    const problem = pathProblem(each.path, writable)
    if (problem !== undefined) return yield* invalid(`its sandbox cannot be made: ${problem}`)
  }
  const problem = guardProblem(listed, guarded)
  if (problem !== undefined) return yield* invalid(`its sandbox cannot be made: ${problem}`)
  if (sandbox.write.length > 0 && process.geteuid?.() === 0) yield* Effect.logWarning(`[${server}] ${ROOT_WRITES}`)
  const home = spec.env["HOME"]
  const homes = [homedir(), ...(home === undefined ? [] : [home])].flatMap((each) => [each, realOf(each)])
  const { code, started } = programsOf(command, spec, cwd, writable)
  const programs = [
    ...started.map((file) => directoryOf(file, homes)),
    ...code,
    ...[...started, ...code].flatMap((file) => ownDirectories(realOf(file), homes))
  ]
  const shown = [...programs.map(readable), ...(sandbox.network ? trustedOf(spec, writable) : []), ...listed]
  const covered = toBeCovered(shown, guarded)
  // A program inside of a covered directory is shown, without the files beside it.
  const own = [...started, ...code].filter((file) => covered.some((each) => isWithin(realOf(file), each)))
  const privateHome = home !== undefined && isAbsolute(home) ? home : undefined
  const loader = Object.entries(spec.env).filter(([name]) => LOADER_VARIABLE.test(name))
  const start = isSeen(shown, realOf(cwd)) ? cwd : (privateHome ?? "/tmp")
  const filter = keyringFilter()
  return {
    command: path,
    args: [
      ...NAMESPACES,
      ...(sandbox.network ? [] : ["--unshare-net"]),
      "--cap-drop",
      "ALL",
      "--die-with-parent",
      ...(filter === undefined ? [] : ["--seccomp", "3"]),
      ...viewArguments({
        shown: [...shown, ...own.map(readable)],
        home: privateHome,
        network: sandbox.network,
        canLimit,
        covered
      }),
      ...loader.flatMap(([name, value]) => ["--setenv", name, value]),
      "--chdir",
      start,
      "--",
      command,
      ...spec.args
    ],
    env: Object.fromEntries(Object.entries(spec.env).filter(([name]) => !LOADER_VARIABLE.test(name))),
    cwd: "/",
    isWrapper: true,
    fourth: filter
  }
})
