/**
 * The hosts at which a client's servers may be reached. The URL is judged in any spelling; where a name leads is judged when it is
 * connected to.
 */
import { hostOf } from "./Address.ts"
import { matchesGlob } from "../data/Glob.ts"

export interface HostRules {
  /** Globs; all hosts by default. */
  readonly allowHosts?: ReadonlyArray<string> | undefined
  /** Globs; they take precedence. */
  readonly denyHosts: ReadonlyArray<string>
}

/** This machine is one host with several names: denying one of them denies all. */
const THIS_MACHINE = ["localhost", "127.0.0.1", "::1", "0.0.0.0"]

const isThisMachine = (hostname: string): boolean => {
  const host = hostOf(hostname)
  return host.is === "localhost" || (host.is === "literal" && (host.kind === "loopback" || host.kind === "unspecified"))
}

const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.+$/, "")

const matches = (globs: ReadonlyArray<string>, names: ReadonlyArray<string>): boolean =>
  globs.some((glob) => names.some((name) => matchesGlob(bare(glob), name)))

/** Also by a name that leads to it. */
export const deniesThisMachine = ({ denyHosts }: HostRules): boolean => matches(denyHosts, THIS_MACHINE)

/** The key that forbids the host; `undefined` if it may be reached. */
export const refusingKey = (rules: HostRules, { hostname }: URL): "acp.allowHosts" | "acp.denyHosts" | undefined => {
  const names = [bare(hostname), ...(isThisMachine(hostname) ? THIS_MACHINE : [])]
  if (matches(rules.denyHosts, names)) return "acp.denyHosts"
  return rules.allowHosts === undefined || matches(rules.allowHosts, names) ? undefined : "acp.allowHosts"
}
