/**
 * The environment variables of a stdio server: a short list of harmless ones, how this machine reaches the network (trusted
 * certificate authorities, proxies), and those of its configuration. Nothing else of the host's environment, and no proxy whose address
 * has a password in it. The tag of the process is added when it is started.
 */
import { isAbsolute } from "node:path"
import { BASE_VARIABLES, BASE_VARIABLES_WINDOWS } from "../../../../schemas/connection/BaseEnvironment.ts"
import { refusedVariable } from "../../../../schemas/connection/DangerousEnvironment.ts"
import { QUOTED_NAME_MAX_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { DEPTH_VARIABLE } from "../../../../schemas/agent/OrderChain.ts"

const BASE = new Set(BASE_VARIABLES)
const BASE_WINDOWS = new Set([...BASE_VARIABLES_WINDOWS, "NUMBER_OF_PROCESSORS"])

/** The depth of a chain of agent requests, for servers that take such requests themselves. */
const ALWAYS = new Set([DEPTH_VARIABLE])

/** Files and directories of certificate authorities: behind a proxy that reads all traffic, nothing can be fetched without its own. */
const CERTIFICATES = new Set(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"])
/** In upper and lower case: programs differ in which they read. */
const PROXIES = new Set(["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"])

type Host = Readonly<Record<string, string | undefined>>

/** How the host reaches the network. */
export interface HostNetwork {
  readonly given: Readonly<Record<string, string>>
  /** Names of variables that servers do not get, because their values contain credentials. */
  readonly withheld: ReadonlyArray<string>
}

const isCertificate = (name: string, platform: NodeJS.Platform): boolean =>
  CERTIFICATES.has(platform === "win32" ? name.toUpperCase() : name)

const isProxy = (name: string, platform: NodeJS.Platform): boolean =>
  PROXIES.has(name.toUpperCase()) &&
  (platform === "win32" || name === name.toUpperCase() || name === name.toLowerCase())

/** Without the variables that the configuration of the server sets itself, in whatever case. */
export const hostNetwork = (
  host: Host,
  configured: Readonly<Record<string, unknown>>,
  platform: NodeJS.Platform = process.platform
): HostNetwork => {
  const said = new Set(Object.keys(configured).map((name) => name.toUpperCase()))
  const given: Record<string, string> = {}
  const withheld: Array<string> = []
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined || value === "" || said.has(name.toUpperCase())) continue
    if (isCertificate(name, platform)) given[name] = value
    if (!isProxy(name, platform)) continue
    // Before an @ there is a user, with or without a password or a scheme.
    if (value.includes("@")) withheld.push(name)
    else given[name] = value
  }
  return { given, withheld }
}

/** Files of certificate authorities that the host trusts. A sandbox shows them. */
export const trustedFiles = (host: Host): ReadonlyArray<string> =>
  Object.entries(host).flatMap(([name, path]) =>
    isCertificate(name, "linux") && path !== undefined && isAbsolute(path) ? [path] : []
  )

const isBase = (name: string, platform: NodeJS.Platform): boolean =>
  ALWAYS.has(name) ||
  (platform === "win32"
    ? BASE_WINDOWS.has(name.toUpperCase())
    : BASE.has(name) || (name.startsWith("LC_") && name.length > 3))

/** The whole environment of a server. Shell functions that bash exports are left out. */
export const serverEnvironment = (
  host: Host,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform
): Record<string, string> => {
  const base = Object.entries(host).filter(
    (entry): entry is [string, string] =>
      isBase(entry[0], platform) && entry[1] !== undefined && !entry[1].startsWith("()")
  )
  return { ...Object.fromEntries(base), ...hostNetwork(host, configured, platform).given, ...configured }
}

/** A name may come from an editor, so it must not break a line of the log. */
export const shownVariable = (name: string): string =>
  /^[\w-]+$/.test(name) && name.length <= QUOTED_NAME_MAX_CHARS
    ? `env.${name}`
    : `env ${JSON.stringify(name.slice(0, QUOTED_NAME_MAX_CHARS))}`

/** What is wrong with a name, to follow "MCP server 'x':"; `undefined` when nothing is. */
export const invalidName = (
  name: string,
  allowed: ReadonlyArray<string> | undefined,
  platform: NodeJS.Platform = process.platform
): string | undefined => {
  if (name === "" || name.includes("=") || name.includes("\0")) {
    return `env has the name ${JSON.stringify(name.slice(0, QUOTED_NAME_MAX_CHARS))}, which no environment can hold`
  }
  const danger = refusedVariable(name, allowed, platform)
  return danger === undefined ? undefined : `${shownVariable(name)} can ${danger}, and "allowEnv" does not name it`
}

/** The same for a value, without quoting it. */
export const invalidValue = (name: string, value: string): string | undefined =>
  value.includes("\0") ? `${shownVariable(name)} holds a NUL character` : undefined
