/**
 * Programs that fetch the server before they start it. Without a network, or without this machine's proxies and certificates, they wait and
 * say little.
 */
import {
  ConnectTimeout,
  ServerExited,
  SLOW_HINT,
  type ConnectError
} from "../../../../schemas/connection/ConnectError.ts"
import { fetcherOf } from "../../../../schemas/connection/FetchedPackage.ts"
import { sandboxOf } from "../../../../schemas/connection/Sandbox.ts"
import type { ServerConfig } from "../../../../schemas/connection/ServerConfig.ts"
import { SLOW_SESSION_HINT } from "../rpc/sessionHints.ts"
import { hostNetwork } from "../connect/environment.ts"

type Host = Parameters<typeof hostNetwork>[0]

/** What to do about a server that cannot be fetched; `undefined` if it is not fetched or has a network. */
const fetchingHint = ({ launch, sandbox }: ServerConfig): string | undefined => {
  const held = sandboxOf(sandbox)
  if (launch.kind !== "stdio" || held === undefined || held.network) return undefined
  const fetcher = fetcherOf(launch.command, launch.args)
  return fetcher === undefined
    ? undefined
    : `'${fetcher}' fetches a package that is not installed, and its sandbox has no network: ` +
        'install the package and start its own program, or allow "network": true in "sandbox"'
}

/** The hint for a server that timed out on a machine with a proxy or with its own certificate authority. */
const networkHint = ({ launch, sandbox, session }: ServerConfig, host: Host): string | undefined => {
  if (launch.kind !== "stdio" || sandboxOf(sandbox)?.network === false) return undefined
  const fetcher = fetcherOf(launch.command, launch.args)
  if (fetcher === undefined) return undefined
  const { given, withheld } = hostNetwork(host, launch.env)
  const slow = session === undefined ? SLOW_HINT : SLOW_SESSION_HINT
  if (withheld.length > 0) {
    const names = withheld.join(", ")
    return `'${fetcher}' fetches a package, and is not given this machine's ${names}, which holds credentials: set it in the "env" of this server, or install the package and start its own program; ${slow}`
  }
  const names = Object.keys(given).join(", ")
  return names === ""
    ? undefined
    : `'${fetcher}' fetches a package, with this machine's ${names}: look whether it can by hand, or install the package and start its own program; ${slow}`
}

/** Adds to a failed attempt what may have caused it. */
export const withFetchingHint = (config: ServerConfig, error: ConnectError, host: Host = process.env): ConnectError => {
  if (error._tag !== "ServerExited" && error._tag !== "ConnectTimeout") return error
  const hint = fetchingHint(config) ?? (error._tag === "ConnectTimeout" ? networkHint(config, host) : undefined)
  if (hint === undefined) return error
  const { server, stderr } = error
  return error._tag === "ServerExited"
    ? new ServerExited({ server, code: error.code, signal: error.signal, stderr, hint })
    : new ConnectTimeout({ server, timeoutMs: error.timeoutMs, phase: error.phase, stderr, hint })
}
