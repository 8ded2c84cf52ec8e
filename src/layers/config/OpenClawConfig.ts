/**
 * Reads the configuration of OpenClaw with its included files. As in OpenClaw, these must be below the folder of the configuration or of one that
 * `OPENCLAW_INCLUDE_ROOTS` names, at most ten levels deep. The size of each file and their number are limited.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import { OPENCLAW_INCLUDES_MAX, OPENCLAW_INCLUDE_DEPTH_MAX } from "../../schemas/defaults/OpenClaw.ts"
import { isObject } from "../../schemas/data/Json.ts"
import type { Environment } from "../../schemas/config/Interpolation.ts"
import { expandHome } from "../../schemas/config/Resolve.ts"
import { INCLUDE, includedIn, mergeIncluded } from "../../schemas/agent/openclaw/Include.ts"
import { openclawConfigFile } from "../../schemas/agent/openclaw/Places.ts"
import { OpenClawConfig } from "../../services/config/OpenClawConfig.ts"
import { failWith, readConfigFile } from "../../system/configFile.ts"

export interface Options {
  readonly env?: Environment | undefined
  readonly home?: string | undefined
  readonly cwd?: string | undefined
}

/** The real path, as far as it exists. */
const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const isWithin = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep)

interface Reading {
  readonly roots: ReadonlyArray<string>
  readonly files: Array<string>
}

const load = Effect.fnUntraced(function* (file: string, env: Environment) {
  const allowed = (env["OPENCLAW_INCLUDE_ROOTS"] ?? "").split(delimiter).filter(isAbsolute)
  const reading: Reading = { roots: [dirname(file), ...allowed], files: [] }
  const value = yield* readWhole(file, [], reading)
  return { file, files: reading.files, value }
})

const readWhole = (file: string, chain: ReadonlyArray<string>, reading: Reading): Effect.Effect<unknown, ConfigError> =>
  Effect.gen(function* () {
    if (reading.files.push(file) > OPENCLAW_INCLUDES_MAX) return yield* failWith(file, "too many files are included")
    const value = (yield* readConfigFile(file, file)).value
    return yield* resolved(value, [...chain, file], reading)
  })

/** A value, with includes replaced by their content. */
const resolved = (
  value: unknown,
  chain: ReadonlyArray<string>,
  reading: Reading
): Effect.Effect<unknown, ConfigError> =>
  Effect.gen(function* () {
    if (Array.isArray(value)) return yield* Effect.forEach(value, (item: unknown) => resolved(item, chain, reading))
    if (!isObject(value)) return value
    const own: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(value)) {
      if (key !== INCLUDE) Object.defineProperty(own, key, { ...DATA, value: yield* resolved(member, chain, reading) })
    }
    if (!Object.hasOwn(value, INCLUDE)) return own
    const from = chain.at(-1)!
    const paths = includedIn(value)
    if (paths === undefined) return yield* failWith(from, `${INCLUDE} must be a path, or a list of paths`)
    const parts = yield* Effect.forEach(paths, (path) => readIncluded(path, from, chain, reading))
    const included = parts.length === 1 ? parts[0] : parts.reduce(mergeIncluded, {})
    return Object.keys(own).length === 0 ? included : mergeIncluded(included, own)
  })

const DATA = { writable: true, enumerable: true, configurable: true }

const readIncluded = (
  path: string,
  from: string,
  chain: ReadonlyArray<string>,
  reading: Reading
): Effect.Effect<unknown, ConfigError> => {
  if (path.includes("\0")) return failWith(from, `${INCLUDE} holds a NUL character`)
  const file = resolve(dirname(from), path)
  if (chain.includes(file)) return failWith(from, `${INCLUDE} leads in a circle`)
  if (chain.length > OPENCLAW_INCLUDE_DEPTH_MAX) return failWith(from, `${INCLUDE} is nested too deep`)
  const isAllowed = reading.roots.some((root) => isWithin(root, file) && isWithin(real(root), real(file)))
  return isAllowed
    ? readWhole(file, chain, reading)
    : failWith(from, `${INCLUDE} leads out of the folder of the configuration`)
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const make = ({ cwd = process.cwd(), env = process.env, home = homedir() }: Options) =>
  OpenClawConfig.of({
    load: Effect.fn("OpenClawConfig.load")((path?: string) =>
      load(path === undefined ? openclawConfigFile(env, home) : resolve(cwd, expandHome(path, home)), env)
    ),
    hasCommand: (command) => {
      if (/[\\/]/.test(command)) return isProgram(resolve(cwd, expandHome(command, home)))
      const endings = process.platform === "win32" ? ["", ".exe", ".cmd", ".bat"] : [""]
      return (env["PATH"] ?? "")
        .split(delimiter)
        .some((folder) => folder !== "" && endings.some((ending) => isProgram(join(folder, command + ending))))
    },
    hasPlugin: (path) => existsSync(join(resolve(cwd, expandHome(path, home)), "openclaw.plugin.json"))
  })

export const layer = (options: Options = {}): Layer.Layer<OpenClawConfig> =>
  Layer.sync(OpenClawConfig, () => make(options))
