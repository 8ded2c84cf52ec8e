/**
 * Whether a package that `npx` or `uvx` fetches is on this machine already: in the project, among the global packages, or in the cache of
 * the runner. Only reads the disk. Where a runner may keep its packages in another place, nothing is claimed.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { isObject } from "../schemas/data/Json.ts"
import type { FetchedPackage } from "../schemas/connection/FetchedPackage.ts"
import { isDirectory, isThere } from "./process/paths.ts"

export interface Places {
  /** The environment of the server. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** Its working directory. */
  readonly cwd: string
  /** The file of the runner: global packages are beside it. */
  readonly runner: string | undefined
}

export interface Held {
  /** `undefined` if that cannot be known. */
  readonly cached: boolean | undefined
  readonly version: string | undefined
  /** The oldest version of Node that it accepts, as a range. */
  readonly node: string | undefined
}

const UNKNOWN: Held = { cached: undefined, version: undefined, node: undefined }
const MISSING: Held = { cached: false, version: undefined, node: undefined }
const PACKAGES_MAX = 2_000

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder).slice(0, PACKAGES_MAX)
  } catch {
    return []
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** What `package.json` in a folder says; `undefined` if there is none. */
export const manifestIn = (
  folder: string
): { readonly version: string | undefined; readonly node: string | undefined } | undefined => {
  try {
    const read: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    if (!isObject(read)) return undefined
    const engines = read["engines"]
    return { version: textOf(read["version"]), node: isObject(engines) ? textOf(engines["node"]) : undefined }
  } catch {
    return undefined
  }
}

const above = (folder: string): ReadonlyArray<string> => {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...above(parent)]
}

/** The manifest of the package to which a file belongs. */
export const manifestAbove = (file: string) => {
  for (const folder of above(dirname(file))) {
    const manifest = manifestIn(folder)
    if (manifest !== undefined) return manifest
  }
  return undefined
}

/** The cache of npm; `undefined` if a file of settings may name another one. */
const npmCache = ({ cwd, env, home }: Places): string | undefined => {
  const named = env["npm_config_cache"] ?? env["NPM_CONFIG_CACHE"]
  if (named) return named
  const settings = [join(home, ".npmrc"), ...above(resolve(cwd)).map((folder) => join(folder, ".npmrc"))]
  const isElsewhere = settings.some((file) => {
    try {
      return /^\s*(?:cache|prefix)\s*=/m.test(readFileSync(file, "utf8"))
    } catch {
      return false
    }
  })
  if (isElsewhere) return undefined
  return process.platform === "win32" ? join(env["LOCALAPPDATA"] ?? home, "npm-cache") : join(home, ".npm")
}

const ofNpm = ({ name, version }: FetchedPackage, places: Places): Held => {
  const cache = npmCache(places)
  const runs = cache === undefined ? [] : namesIn(join(cache, "_npx")).map((run) => join(cache, "_npx", run))
  const globally = places.runner === undefined ? [] : [join(dirname(dirname(places.runner)), "lib")]
  for (const folder of [...above(resolve(places.cwd)), ...globally, ...runs]) {
    const found = manifestIn(join(folder, "node_modules", name))
    if (found === undefined || (version !== undefined && found.version !== version)) continue
    return { cached: true, ...found }
  }
  return cache === undefined ? UNKNOWN : MISSING
}

/** As in names of wheels. */
const plain = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, "-")

const ofUv = ({ name, version }: FetchedPackage, { env, home }: Places): Held => {
  if (process.platform === "win32") return UNKNOWN
  const tools = env["UV_TOOL_DIR"] ?? join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "uv", "tools")
  if (version === undefined && isDirectory(join(tools, plain(name)))) return { ...MISSING, cached: true }
  const cache = env["UV_CACHE_DIR"] ?? join(env["XDG_CACHE_HOME"] || join(home, ".cache"), "uv")
  for (const wheels of namesIn(cache).filter((one) => /^wheels-v\d+$/.test(one))) {
    const folder = join(cache, wheels, "pypi", plain(name))
    const versions = namesIn(folder).flatMap((file) => /^(\d[^-]*)(?:-|$)/.exec(file)?.[1] ?? [])
    if (version === undefined ? isThere(folder) : versions.includes(version))
      return { cached: true, version: version ?? versions.at(-1), node: undefined }
  }
  return MISSING
}

/** What this machine has of the package. */
export const heldPackage = (fetched: FetchedPackage, places: Places): Held => {
  if (!fetched.isName) return UNKNOWN
  if (fetched.runner === "npx" || fetched.runner === "npm") return ofNpm(fetched, places)
  return fetched.runner === "uvx" || fetched.runner === "uv" ? ofUv(fetched, places) : UNKNOWN
}
