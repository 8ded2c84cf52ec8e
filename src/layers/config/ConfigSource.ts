/**
 * Configuration from a file, of whichever dialect, or from a value that the host program has at hand. Everything that is
 * wrong with it, down to a file that cannot be read, is a `ConfigError` that names file, line and key.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, resolve } from "node:path"
import { ConfigError } from "../../schemas/config/ConfigError.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import { parseConfigText } from "../../schemas/config/ConfigText.ts"
import { type ConfigContext, decodeConfig } from "../../schemas/config/DecodeConfig.ts"
import type { Environment } from "../../schemas/config/Interpolation.ts"
import { noLines } from "../../schemas/config/KeyLines.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import { failWith, shownPath } from "./ConfigSource/issues.ts"
import { find, locate, ownPlace } from "./ConfigSource/locate.ts"
import { readText } from "./ConfigSource/readText.ts"

/**
 * Where a configuration is looked for. All of it may be left out: then it is the environment, directory and home of
 * this process.
 */
export interface Options {
  /** Without one, the usual places are searched. */
  readonly path?: string | undefined
  readonly cwd?: string | undefined
  /** For `${VAR}`, `MCP_LIVE_CONFIG`, `MCP_LIVE_HOME` and `HOME`. */
  readonly env?: Environment | undefined
  /** The program brings secret providers of its own: one that is not built in is a warning then, and no error. */
  readonly foreignProviders?: boolean | undefined
}

/** In a container there may be a user whom the system does not know; the search then goes on without a home. */
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

const decode = (value: unknown, context: ConfigContext) =>
  Effect.fromResult(decodeConfig(value, { ...context, isThere: existsSync })).pipe(
    Effect.mapError((faults) => new ConfigError({ ...faults }))
  )

const loadFile = Effect.fn("ConfigSource.load")(function* (options: Options) {
  const { cwd, env, home } = surroundings(options)
  return yield* readFrom(yield* locate({ path: options.path, cwd, env, home }), options)
})

const readFrom = Effect.fnUntraced(function* (file: string, options: Options) {
  const { cwd, env, home } = surroundings(options)
  const shownFile = shownPath(cwd, file)
  const text = yield* readText(file, shownFile)
  const parsed = parseConfigText(text)
  if (Result.isFailure(parsed)) return yield* failWith(shownFile, parsed.failure.message, parsed.failure.line)
  const { lines, value } = parsed.success
  const { foreignProviders } = options
  return yield* decode(value, { file, shownFile, lines, directory: dirname(file), home, env, foreignProviders })
})

/** Searches and reads anew at each `load`. */
export const layer = (options: Options = {}): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, { load: loadFile(options) })

/** The same, where there need not be one: without a file in the usual places, there are no servers and no model. */
export const layerOptional = (options: Options = {}): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, {
    load: Effect.gen(function* () {
      const { cwd, env, home } = surroundings(options)
      const file = yield* find({ path: options.path, cwd, env, home })
      if (file !== undefined) return yield* readFrom(file, options)
      const nothing = yield* decode({ mcp: {} }, { ...emptyFile, directory: cwd, home, env })
      // Where one would be read, for who is told how to write it.
      return { ...nothing, file: ownPlace({ cwd, env, home }), absent: true, warnings: [] } as const
    })
  })

/** A value in any of the shapes that a file may have; relative paths count from `cwd`. */
export const layerObject = (value: unknown, options: Omit<Options, "path"> = {}): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, {
    load: Effect.suspend(() => {
      const { cwd, env, home } = surroundings(options)
      const name = "configuration"
      const { foreignProviders } = options
      return decode(value, { file: name, shownFile: name, lines: noLines, directory: cwd, home, env, foreignProviders })
    })
  })

/** A configuration that is decoded already. */
export const layerFrom = (config: GatewayConfig): Layer.Layer<ConfigSource> =>
  Layer.succeed(ConfigSource, { load: Effect.succeed(config) })
