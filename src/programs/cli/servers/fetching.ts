/** Where the program of a stdio server is found, and whether its package is on this machine. Only reads the disk. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { homedir } from "node:os"
import { behindExec } from "../../../schemas/agent/openclaw/doctor/execTarget.ts"
import { fetchedPackage, type FetchedPackage } from "../../../schemas/connection/FetchedPackage.ts"
import type { ServerConfig, StdioLaunch } from "../../../schemas/connection/ServerConfig.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import { heldPackage, type Held } from "../../../system/packageCaches.ts"
import { findProgram } from "../../../system/process/paths.ts"
import { windowsSpawn } from "../../../system/process/windows.ts"

export interface Place {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/** Servers inherit these variables of those that decide which program and package are found. */
const inherited = (): Readonly<Record<string, string | undefined>> =>
  process.platform === "win32" ? process.env : { PATH: process.env["PATH"], HOME: process.env["HOME"] }

const placeOf = ({ cwd = process.cwd(), env }: StdioLaunch): Place => ({
  cwd,
  env: Object.fromEntries(
    Object.entries({ ...inherited(), ...env }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )
})

export const findCommand = (command: string, { cwd, env }: Place): string | undefined => {
  if (process.platform !== "win32") return findProgram(command, env["PATH"] ?? "", cwd)
  return typeof windowsSpawn({ command, args: [], env, cwd }) === "string" ? undefined : command
}

export interface LookedUp {
  readonly place: Place
  /** What runs, also behind `mcp-live exec`. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly found: string | undefined
  readonly fetched: FetchedPackage | undefined
  readonly held: Held | undefined
}

export const lookUp = (launch: StdioLaunch): LookedUp => {
  const place = placeOf(launch)
  const { args, command } = behindExec(launch.command, launch.args) ?? launch
  const found = findCommand(command, place)
  const fetched = fetchedPackage(command, args)
  const held = fetched && heldPackage(fetched, { ...place, home: place.env["HOME"] ?? homedir(), runner: found })
  return { place, command, args, found, fetched, held }
}

/** What is being downloaded for a server that is starting; `undefined` unless that is certain. */
const downloadOf = ({ launch }: ServerConfig): string | undefined => {
  if (launch.kind !== "stdio") return undefined
  const { fetched, found, held } = lookUp(launch)
  return fetched === undefined || found === undefined || held?.cached !== false
    ? undefined
    : `${fetched.runner} is downloading ${fetched.name}, its first start`
}

/**
 * Says of a server that is starting what is being downloaded for it. The configuration is read once; the disk is looked at each time, because
 * a download ends.
 */
export const downloading = (): Effect.Effect<(server: string) => string | undefined> => {
  let servers: ReadonlyMap<string, ServerConfig> | undefined
  const load = Effect.gen(function* () {
    const source = Option.getOrUndefined(yield* Effect.serviceOption(ConfigSource))
    const config = source === undefined ? undefined : yield* Effect.orElseSucceed(source.load, () => undefined)
    servers = new Map((config?.agents ?? []).flatMap((agent) => agent.servers.map((one) => [one.name, one] as const)))
  })
  return Effect.map(
    Effect.suspend(() => (servers === undefined ? load : Effect.void)),
    () => (name) => {
      const server = servers?.get(name)
      return server === undefined ? undefined : downloadOf(server)
    }
  )
}
