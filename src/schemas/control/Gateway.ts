/** What a running gateway tells about itself, and which one a command means. Pure. */
import * as Schema from "effect/Schema"
import { VERSION } from "../data/Version.ts"

/**
 * The number of the contract in `Control.ts`. Raise it when a command and a gateway of different versions would misunderstand each
 * other.
 */
export const CONTROL_CONTRACT = 3

/** The programs that can be reached. */
export const GATEWAY_KINDS = ["start", "serve", "mcp-server", "acp"] as const
export type GatewayKind = (typeof GATEWAY_KINDS)[number]

/** The configuration of a gateway. */
export const GatewayConfiguration = Schema.Struct({
  /** The real path of the file. */
  path: Schema.String,
  /** SHA-256 of its text, in hex, when the gateway was started. */
  hash: Schema.String
})
export type GatewayConfiguration = typeof GatewayConfiguration.Type

/** A running gateway. Kinds and versions that this program does not know are texts like any other. */
export const RunningGateway = Schema.Struct({
  contract: Schema.Int,
  version: Schema.String,
  kind: Schema.String,
  pid: Schema.Int,
  /** Milliseconds since the epoch. */
  startedAt: Schema.Finite,
  /** `null` if it has none, or runs only a part of it: no command means such a gateway without naming it. */
  configuration: Schema.NullOr(GatewayConfiguration),
  /** Whether it keeps the log about servers in files. Only its file in the data directory says so. */
  logFiles: Schema.optionalKey(Schema.Boolean),
  /** Its name in its fleet, of a gateway that is a node. */
  node: Schema.optionalKey(Schema.String)
})
export type RunningGateway = typeof RunningGateway.Type

/** What a command asks for. */
export interface Wanted {
  /** The real paths that may be the configuration of the command: the first that a gateway runs counts. */
  readonly configurations: ReadonlyArray<string>
  /** The process that the command names. */
  readonly pid: number | undefined
  /** Whether the command can start servers of its own instead. */
  readonly canBeAlone: boolean
}

/** The gateway that is meant, if there is one; or why none can be chosen. */
export type Choice<G extends RunningGateway> =
  | { readonly _tag: "None" }
  | { readonly _tag: "One"; readonly gateway: G }
  | { readonly _tag: "Unclear"; readonly message: string }

const atOf = (ms: number): string => {
  const at = new Date(ms)
  return Number.isNaN(at.getTime()) ? "an unknown time" : at.toISOString()
}

/** One line for each gateway. */
export const describeGateways = (gateways: ReadonlyArray<RunningGateway>): string =>
  gateways
    .map(
      ({ configuration, kind, pid, startedAt, version }) =>
        `  ${pid}  ${kind}, since ${atOf(startedAt)}, version ${version}, ${configuration?.path ?? "without a whole configuration"}`
    )
    .join("\n")

const named = <G extends RunningGateway>(gateways: ReadonlyArray<G>, pid: number): Choice<G> => {
  const gateway = gateways.find((one) => one.pid === pid)
  if (gateway !== undefined) return { _tag: "One", gateway }
  const there = gateways.length === 0 ? "none is running" : `these are running:\n${describeGateways(gateways)}`
  return { _tag: "Unclear", message: `there is no gateway with the process number ${pid}; ${there}` }
}

const SAME_CONTRACT = (gateway: RunningGateway): boolean => gateway.contract === CONTROL_CONTRACT

const otherVersion = ({ kind, pid, version }: RunningGateway, canBeAlone: boolean): string =>
  `the running gateway ${pid} (${kind}) is mcp-live ${version}, which this version, ${VERSION}, cannot talk to: restart the gateway${canBeAlone ? ", or use --standalone to start servers for this command alone" : ""}`

const severalOf = (gateways: ReadonlyArray<RunningGateway>, canBeAlone: boolean): string =>
  `several gateways of this configuration are running:\n${describeGateways(gateways)}\nname one with --gateway PID${canBeAlone ? ", or use --standalone" : ""}`

/** Never a guess: with several gateways of a configuration, the command must name one. */
export const chooseGateway = <G extends RunningGateway>(gateways: ReadonlyArray<G>, wanted: Wanted): Choice<G> => {
  const { canBeAlone, configurations, pid } = wanted
  const meant =
    configurations
      .map((path) => gateways.filter(({ configuration }) => configuration?.path === path))
      .find((ones) => ones.length > 0) ?? []
  const choice: Choice<G> =
    pid !== undefined
      ? named(gateways, pid)
      : meant.length > 1
        ? { _tag: "Unclear", message: severalOf(meant, canBeAlone) }
        : meant[0] === undefined
          ? { _tag: "None" }
          : { _tag: "One", gateway: meant[0] }
  return choice._tag === "One" && !SAME_CONTRACT(choice.gateway)
    ? { _tag: "Unclear", message: otherVersion(choice.gateway, canBeAlone) }
    : choice
}
