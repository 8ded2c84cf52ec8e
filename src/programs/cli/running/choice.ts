/** Which running gateway a command uses: the one of its configuration, or the one that it names; never a guess. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import { createHash } from "node:crypto"
import { readFile, realpath } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { dataDirectory } from "../../../schemas/config/DataDirectory.ts"
import { chooseGateway } from "../../../schemas/control/Gateway.ts"
import { handedOverBy } from "../../../system/ancestry.ts"
import { findGateways, foreignFolder, type Found } from "../../../system/gatewayFiles.ts"
import { root, UsageError } from "../command.ts"
import { complain } from "../output.ts"

export const gatewayFlag = Flag.Int("gateway").pipe(
  Flag.withMetavar("PID"),
  Flag.withDescription("Use the running gateway with this process number; without it, the one of this configuration"),
  Flag.optional
)

const standaloneFlag = (description: string) =>
  Flag.Boolean("standalone").pipe(Flag.withDescription(description), Flag.withDefault(false))

/** For commands that use a running gateway if there is one. */
export const runningFlags = {
  standalone: standaloneFlag(
    "Start servers for this command alone, even if a gateway of this configuration is running"
  ),
  gateway: gatewayFlag
}

/** The same for commands that start no servers. */
export const sharingFlags = {
  standalone: standaloneFlag("Use the files of the data directory, even if a gateway of this configuration is running"),
  gateway: gatewayFlag
}

export interface RunningFlags {
  readonly standalone: boolean
  readonly gateway: Option.Option<number>
}

/** The same for a file that is gone, as far as its folder is there. */
const realPath = async (file: string): Promise<string> => {
  try {
    return await realpath(file)
  } catch {
    return join(await realpath(dirname(file)).catch(() => dirname(file)), basename(file))
  }
}

/** The file that the command would read, valid or not. If it is gone, a gateway may still run what was read from it. */
const configurationFiles = Effect.gen(function* () {
  const { config } = yield* root
  const { findFile, possibleFiles } = yield* Effect.promise(() => import("../../../layers/config/ConfigSource.ts"))
  const options = { path: Option.getOrUndefined(config) }
  // What is wrong with the place is said by whoever reads it.
  const file = yield* Effect.orElseSucceed(findFile(options), () => undefined)
  return yield* Effect.promise(() => Promise.all((file === undefined ? possibleFiles(options) : [file]).map(realPath)))
})

const hasChanged = ({ configuration }: Found): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    if (configuration === null) return false
    const text = await readFile(configuration.path).catch(() => undefined)
    return text !== undefined && createHash("sha256").update(text).digest("hex") !== configuration.hash
  })

const usedWords = ({ kind, pid }: Found, changed: boolean): string =>
  `using the running gateway ${pid} (${kind})${changed ? "; its configuration has changed since it was read" : ""}`

/** The gateway with this number. On a Node that is too old, a shell knows the number of the process that handed over to the gateway. */
export const meantBy = (found: ReadonlyArray<Found>, number: number | undefined): number | undefined =>
  number === undefined || found.some(({ pid }) => pid === number)
    ? number
    : (found.find(({ pid }) => handedOverBy(pid) === number)?.pid ?? number)

const choose = Effect.fnUntraced(function* (pid: number | undefined, canBeAlone: boolean) {
  const found = yield* Effect.promise(() => findGateways(dataDirectory()))
  const foreign = foreignFolder(dataDirectory())
  if (foreign !== undefined)
    yield* complain(
      `running gateways cannot be found: ${foreign} belongs to another user; 'mcp-live doctor' says how to mend that`
    )
  if (found.length === 0 && pid === undefined) return { _tag: "None" } as const
  return chooseGateway(found, { configurations: yield* configurationFiles, pid: meantBy(found, pid), canBeAlone })
})

const used = Effect.fnUntraced(function* (gateway: Found) {
  yield* complain(usedWords(gateway, yield* hasChanged(gateway)))
  return gateway
})

/** Says which one is used. `undefined` if there is none. */
export const foundGateway = Effect.fnUntraced(function* (pid: number | undefined, canBeAlone = false) {
  const choice = yield* choose(pid, canBeAlone)
  if (choice._tag === "Unclear") return yield* new UsageError({ message: choice.message })
  return choice._tag === "None" ? undefined : yield* used(choice.gateway)
})

/**
 * The same for commands about files that all gateways share. Unless the command names a gateway, several are no problem: what is written to the
 * files reaches all of them.
 */
export const sharingGateway = Effect.fnUntraced(function* ({ gateway, standalone }: RunningFlags) {
  const pid = Option.getOrUndefined(gateway)
  if (standalone && pid !== undefined) return yield* new UsageError({ message: "--standalone: leave --gateway out" })
  if (standalone) return undefined
  if (pid !== undefined) return yield* foundGateway(pid, true)
  const choice = yield* choose(undefined, true)
  return choice._tag === "One" ? yield* used(choice.gateway) : undefined
})

/** The same for a command that can start servers of its own, and does so if this gives `undefined`. */
export const runningGateway = Effect.fnUntraced(function* ({ gateway, standalone }: RunningFlags) {
  const { workspace } = yield* root
  const pid = Option.getOrUndefined(gateway)
  // A running gateway has told its servers another directory, or none.
  if (!standalone && Option.isNone(workspace)) return yield* foundGateway(pid, true)
  if (pid === undefined) return undefined
  const other = standalone ? "--standalone" : "--workspace"
  return yield* new UsageError({ message: `${other} starts servers for this command alone: leave --gateway out` })
})
