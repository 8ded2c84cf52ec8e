/**
 * What a stdio server sees of the host's environment: a short list of harmless names, and what its configuration says.
 * Nothing else, whatever the host holds; its tag is added when it is started.
 */
import { refusedVariable } from "../../schemas/DangerousEnvironment.ts"
import { QUOTED_NAME_MAX_CHARS } from "../../schemas/defaults/Texts.ts"
import { DEPTH_VARIABLE } from "../../schemas/OrderChain.ts"

const BASE = new Set(["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TMPDIR", "TZ"])
const BASE_WINDOWS = new Set([
  "PATH",
  "PATHEXT",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "COMSPEC",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMFILES",
  "PROCESSOR_ARCHITECTURE",
  "NUMBER_OF_PROCESSORS"
])

/** How deep a chain of orders is: servers that take orders themselves must know. */
const ALWAYS = new Set([DEPTH_VARIABLE])

const isBase = (name: string, platform: NodeJS.Platform): boolean =>
  ALWAYS.has(name) ||
  (platform === "win32"
    ? BASE_WINDOWS.has(name.toUpperCase())
    : BASE.has(name) || (name.startsWith("LC_") && name.length > 3))

/** The whole environment of a server. Shell functions exported by bash are not data and stay out. */
export const serverEnvironment = (
  host: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform
): Record<string, string> => {
  const base = Object.entries(host).filter(
    (entry): entry is [string, string] =>
      isBase(entry[0], platform) && entry[1] !== undefined && !entry[1].startsWith("()")
  )
  return { ...Object.fromEntries(base), ...configured }
}

/** A name may come from an editor's session: it must not break a line of the log. */
export const shownVariable = (name: string): string =>
  /^[\w-]+$/.test(name) && name.length <= QUOTED_NAME_MAX_CHARS
    ? `env.${name}`
    : `env ${JSON.stringify(name.slice(0, QUOTED_NAME_MAX_CHARS))}`

/** What is wrong with a name, in words that can be put behind "MCP server 'x':"; `undefined` when nothing is. */
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

/** The same for a value, in words without it. */
export const invalidValue = (name: string, value: string): string | undefined =>
  value.includes("\0") ? `${shownVariable(name)} holds a NUL character` : undefined
