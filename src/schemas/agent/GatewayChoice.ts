/** Decides which agent answers: the built-in one, or that of an OpenClaw gateway, and of which gateway. */
import * as Result from "effect/Result"
import { readGatewayUrl, type ConfiguredGateways, type GatewayAddress } from "./GatewayAddress.ts"

export const BACKENDS = ["embedded", "openclaw"] as const
export type Backend = (typeof BACKENDS)[number]

/** The flags that the person gave. */
export interface Said {
  readonly backend?: Backend | undefined
  readonly gateway?: string | undefined
  readonly tokenFile?: string | undefined
}

export interface Configured {
  /** The value of `acp.backend`. */
  readonly backend: Backend | undefined
  readonly gateways: ConfiguredGateways
}

export type Chosen =
  | { readonly backend: "embedded" }
  | {
      readonly backend: "openclaw"
      readonly address: GatewayAddress
      /** Whether the gateway gets the servers of the configuration: not if it reads the same configuration itself. */
      readonly ownServers: boolean
    }

const isSame = (one: GatewayAddress, other: GatewayAddress): boolean => {
  const [a, b] = [readGatewayUrl(one), readGatewayUrl(other)]
  if (Result.isFailure(a) || Result.isFailure(b)) return false
  const [left, right] = [a.success, b.success]
  const isOneMachine = left.url.hostname === right.url.hostname || (left.local && right.local)
  return isOneMachine && left.url.port === right.url.port && left.url.protocol === right.url.protocol
}

/** Fails with a sentence. */
export const chooseBackend = (said: Said, { backend, gateways }: Configured): Result.Result<Chosen, string> => {
  const { isGatewaysOwn, local, remote } = gateways
  const named = said.gateway === undefined ? undefined : "openclaw"
  const chosen = said.backend ?? named ?? backend ?? (remote === undefined ? "embedded" : "openclaw")
  if (chosen === "embedded") {
    if (said.gateway !== undefined)
      return Result.fail("--gateway is the address of the backend openclaw: leave it out, or --backend embedded")
    return said.tokenFile === undefined
      ? Result.succeed({ backend: chosen })
      : Result.fail("--token-file is for the backend openclaw: name it with --backend, or its address with --gateway")
  }
  const known = [remote, local].filter((one) => one !== undefined)
  const gateway =
    said.gateway === undefined
      ? known[0]!
      : // A token is sent only to the address that it was configured for.
        (known.find(({ address }) => isSame(address, { ...address, url: said.gateway! })) ?? {
          address: { url: said.gateway, allowPrivate: local.address.allowPrivate },
          problem: undefined
        })
  const { problem } = gateway
  const address = {
    ...gateway.address,
    url: said.gateway ?? gateway.address.url,
    ...(said.tokenFile === undefined ? {} : { tokenFile: said.tokenFile })
  }
  if (problem !== undefined && said.tokenFile === undefined) return Result.fail(problem)
  const read = readGatewayUrl(address)
  if (Result.isFailure(read)) return Result.fail(`the OpenClaw gateway cannot be used: ${read.failure}`)
  return Result.succeed({ backend: chosen, address, ownServers: !(isGatewaysOwn && isSame(address, local.address)) })
}
