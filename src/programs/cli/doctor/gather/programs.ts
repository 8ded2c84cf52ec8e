/** Looks for the programs of stdio servers, their runtimes and their packages. Starts no server; asks runtimes for their version. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { resolve } from "node:path"
import type { ServerConfig, StdioLaunch } from "../../../../schemas/connection/ServerConfig.ts"
import {
  DOCTOR_ANSWER_MS,
  DOCTOR_PROBES_AT_ONCE,
  DOCTOR_VERSION_MAX_BYTES
} from "../../../../schemas/defaults/Doctor.ts"
import type { ServerFacts } from "../../../../schemas/doctor/Facts.ts"
import { oldestIn, programName, runtimeOf } from "../../../../schemas/doctor/Programs.ts"
import { runHelper } from "../../../../system/helperProcess.ts"
import { interpreterOf } from "../../../../system/process/paths.ts"
import { manifestAbove } from "../../../../system/packageCaches.ts"
import { findCommand, lookUp, type Place } from "../../servers/fetching.ts"

type Facts = Pick<ServerFacts, "program" | "runtime" | "fetched">

/** The names under which a runtime is asked: the one in use first. */
const asked = (runtime: string, command: string): ReadonlyArray<string> =>
  /^[a-z]+/.exec(programName(command))?.[0] === runtime
    ? [command]
    : runtime === "python"
      ? ["python3", "python"]
      : [runtime]

const versionOf = Effect.fnUntraced(function* (program: string, { env }: Place) {
  const result = yield* runHelper({
    command: program,
    args: ["--version"],
    env: { PATH: env["PATH"] ?? "", HOME: env["HOME"] ?? homedir() },
    maxBytes: DOCTOR_VERSION_MAX_BYTES
  }).pipe(
    Effect.timeoutOption(DOCTOR_ANSWER_MS),
    Effect.map((done) => (done._tag === "Some" ? `${done.value.stdout}\n${done.value.stderr}` : "")),
    Effect.orElseSucceed(() => "")
  )
  return /\d+\.\d+(?:\.\d+)?/.exec(result)?.[0]
})

/** A local script has a package of its own. */
const scriptIn = (args: ReadonlyArray<string>, cwd: string): string | undefined =>
  args.map((arg) => resolve(cwd, arg)).find((path) => /\.[cm]?[jt]s$/.test(path) && existsSync(path))

/** A script needs the program that its first line names: `node` for `npx`. */
const missingInterpreter = (found: string | undefined, place: Place): Facts["program"] => {
  const name = found === undefined || process.platform === "win32" ? undefined : interpreterOf(found)
  return name === undefined || findCommand(name, place) !== undefined ? undefined : { name, found: undefined }
}

/** Whether the person chose which file has this name, and not the configuration: it runs even if no server may be started. */
const isOwnChoice = (command: string, { env }: StdioLaunch): boolean =>
  !/[\\/]/.test(command) && Object.keys(env).every((name) => name.toUpperCase() !== "PATH")

interface Asking {
  readonly versions: Map<string, string | undefined>
  /** Nothing that a configuration chose is run. */
  readonly offline: boolean
}

const factsOf = Effect.fnUntraced(function* (launch: StdioLaunch, { offline, versions }: Asking) {
  const { args, command, fetched, found, held, place } = lookUp(launch)
  const name = runtimeOf(command)
  const program =
    name === undefined
      ? undefined
      : asked(name, command)
          .map((one) => findCommand(one, place))
          .find(Boolean)
  const mayAsk = !offline || isOwnChoice(command, launch)
  if (program !== undefined && mayAsk && !versions.has(program)) versions.set(program, yield* versionOf(program, place))
  const script = name === "node" && fetched === undefined ? scriptIn(args, place.cwd) : undefined
  const range = held?.node ?? (script === undefined ? undefined : manifestAbove(script)?.node)
  const facts: Facts = {
    program: missingInterpreter(found, place) ?? { name: command, found },
    ...(name === undefined || program === undefined
      ? {}
      : {
          runtime: {
            name,
            version: versions.get(program),
            needs: name === "node" && range !== undefined ? oldestIn(range) : undefined
          }
        }),
    ...(fetched === undefined || !fetched.isName
      ? {}
      : {
          fetched: {
            runner: fetched.runner,
            name: fetched.name,
            pinned: fetched.version !== undefined,
            cached: held?.cached,
            version: held?.version
          }
        })
  }
  return facts
})

/** By the name of the server. */
export const programFacts = Effect.fnUntraced(function* (servers: ReadonlyArray<ServerConfig>, offline: boolean) {
  const asking: Asking = { versions: new Map(), offline }
  const found = yield* Effect.forEach(
    servers,
    Effect.fnUntraced(function* ({ launch, name }) {
      return [name, launch.kind === "stdio" ? yield* factsOf(launch, asking) : {}] as const
    }),
    { concurrency: DOCTOR_PROBES_AT_ONCE }
  )
  return new Map<string, Facts>(found)
})
