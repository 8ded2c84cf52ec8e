/**
 * Reads the configuration from a file, in any of the dialects, or from a value of the host program. All problems, also a file that cannot be
 * read, are a `ConfigError` with file, line and key.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, resolve } from "node:path"
import { ConfigError } from "../../schemas/config/ConfigError.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import { type ClientFileContext, decodeFile } from "../../schemas/config/clients/DecodeClientFile.ts"
import { type ConfigContext, type ConfigFaults, decodeConfig } from "../../schemas/config/DecodeConfig.ts"
import type { Environment } from "../../schemas/config/Interpolation.ts"
import { noLines } from "../../schemas/config/KeyLines.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import { readConfigFile, shownPath } from "../../system/configFile.ts"
import { readVariablesFile } from "../../system/variablesFile.ts"
import { find, locate, ownPlace, places } from "./ConfigSource/locate.ts"

/** Where to look for the configuration. All members are optional; the defaults are the environment, directory and home of this process. */
export interface Options {
  /** The file. Without it, the usual places are searched. */
  readonly path?: string | undefined
  readonly cwd?: string | undefined
  /** The variables for `${VAR}`, `MCP_LIVE_CONFIG`, `MCP_LIVE_HOME` and `HOME`. */
  readonly env?: Environment | undefined
  /** The program has secret providers of its own: an unknown provider is then a warning instead of an error. */
  readonly foreignProviders?: boolean | undefined
}

/** In a container, the system may not know the user; the search then goes on without a home directory. */
const systemHome = (): string => {
  try {
    return homedir()
  } catch {
    return "/"
  }
}

const surroundings = ({ cwd, env = process.env }: Options) => ({
  cwd: resolve(cwd ?? "."),
  env,
  home: env["HOME"] || env["USERPROFILE"] || systemHome()
})

const emptyFile = { file: "configuration", shownFile: "configuration", lines: noLines }

const failing = (decoded: Result.Result<GatewayConfig, ConfigFaults>) =>
  Effect.fromResult(decoded).pipe(Effect.mapError((faults) => new ConfigError({ ...faults })))

const decode = (value: unknown, context: ConfigContext) =>
  failing(decodeConfig(value, { ...context, isThere: existsSync }))

/** The file that would be read; `undefined` if there is none. It may be invalid. */
export const findFile = (options: Options): Effect.Effect<string | undefined, ConfigError> =>
  find({ path: options.path, ...surroundings(options) })

/** Where the file would be if it is gone. */
export const possibleFiles = (options: Options): ReadonlyArray<string> =>
  places({ path: options.path, ...surroundings(options) })

const loadFile = Effect.fn("ConfigSource.load")(function* (options: Options, decoding?: Decode) {
  const { cwd, env, home } = surroundings(options)
  return yield* readFrom(yield* locate({ path: options.path, cwd, env, home }), options, decoding)
})

type Decode = (value: unknown, context: ClientFileContext) => Result.Result<GatewayConfig, ConfigFaults>

const readFrom = Effect.fnUntraced(function* (file: string, options: Options, decoding: Decode = decodeFile) {
  const { cwd, env, home } = surroundings(options)
  const shownFile = shownPath(cwd, file)
  const { lines, value } = yield* readConfigFile(file, shownFile)
  const { foreignProviders } = options
  const context = { file, shownFile, lines, directory: dirname(file), home, env, foreignProviders, isThere: existsSync }
  const readFiles: Array<string> = []
  const readText = (path: string) => {
    readFiles.push(path)
    return readVariablesFile(path)
  }
  const config = yield* failing(decoding(value, { ...context, cwd, readText }))
  return readFiles.length === 0 ? config : { ...config, readFiles }
})

/** Each `load` searches and reads again. */
export const layer = (options: Options = {}, decoding?: Decode): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, { load: loadFile(options, decoding) })

/** The same, but the file is optional: without one there are no servers and no model. */
export const layerOptional = (options: Options = {}, decoding?: Decode): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, {
    load: Effect.gen(function* () {
      const { cwd, env, home } = surroundings(options)
      const file = yield* findFile(options)
      if (file !== undefined) return yield* readFrom(file, options, decoding)
      const nothing = yield* decode({ mcp: {} }, { ...emptyFile, directory: cwd, home, env })
      // The place of the missing file, for messages that say how to create it.
      return { ...nothing, file: ownPlace({ cwd, env, home }), absent: true, warnings: [] } as const
    })
  })

/** Like `layerOptional`, or `layer` with a path; of an invalid file, what is valid, and all problems as its faults. */
export const layerSound = (options: Options = {}): Layer.Layer<ConfigSource> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { soundPart } = yield* Effect.promise(() => import("../../schemas/config/SoundPart.ts"))
      const sound: Decode = (value, context) => {
        const decoded = decodeFile(value, context)
        if (Result.isSuccess(decoded)) return decoded
        const { issues, warnings } = decoded.failure
        const part = soundPart(value, context)
        return part === undefined ? decoded : Result.succeed({ ...part, faults: issues, warnings })
      }
      return options.path === undefined ? layerOptional(options, sound) : layer(options, sound)
    })
  )

/** A value in the format of any dialect; relative paths are relative to `cwd`. */
export const layerObject = (value: unknown, options: Omit<Options, "path"> = {}): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, {
    load: Effect.suspend(() => {
      const { cwd, env, home } = surroundings(options)
      const name = "configuration"
      const { foreignProviders } = options
      return decode(value, { file: name, shownFile: name, lines: noLines, directory: cwd, home, env, foreignProviders })
    })
  })

/** A decoded configuration. */
export const layerFrom = (config: GatewayConfig): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, { load: Effect.succeed(config) })
