/**
 * What a stdio server sees of the host's environment: a short list of harmless names, and what its configuration says.
 * Nothing else, whatever the host holds; its tag is added when it is started.
 */
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

const isBase = (name: string, platform: NodeJS.Platform): boolean =>
  platform === "win32"
    ? BASE_WINDOWS.has(name.toUpperCase())
    : BASE.has(name) || (name.startsWith("LC_") && name.length > 3)

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

/** What is wrong with a name or value, in words without the value; `undefined` when nothing is. */
export const invalidVariable = (name: string, value: string): string | undefined => {
  if (name === "" || name.includes("=") || name.includes("\0")) {
    return `env has the name ${JSON.stringify(name)}, which no environment can hold`
  }
  return value.includes("\0") ? `env.${name} holds a NUL character` : undefined
}
