/**
 * Which hosts the servers of a client may be reached at. Judged by what its url says, in any spelling; where a name leads to
 * is judged when it is connected to.
 */
import { hostOf } from "./Address.ts"
import { matchesGlob } from "../data/Glob.ts"

export interface HostRules {
  /** Globs; every host when left out. */
  readonly allowHosts?: ReadonlyArray<string> | undefined
  /** Globs; they win. */
  readonly denyHosts: ReadonlyArray<string>
}

/** This machine is one host, whichever of its names is written: who denies one of them means all. */
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

/** Also by a name that leads there. */
export const deniesThisMachine = ({ denyHosts }: HostRules): boolean => matches(denyHosts, THIS_MACHINE)

/** Which key keeps a client away from it; nothing where it may be reached. */
export const refusingKey = (rules: HostRules, { hostname }: URL): "acp.allowHosts" | "acp.denyHosts" | undefined => {
  const names = [bare(hostname), ...(isThisMachine(hostname) ? THIS_MACHINE : [])]
  if (matches(rules.denyHosts, names)) return "acp.denyHosts"
  return rules.allowHosts === undefined || matches(rules.allowHosts, names) ? undefined : "acp.allowHosts"
}
