/**
 * What `mcp-live serve` serves: all servers of an agent, one of them, or one that is given on the command line and needs no
 * configuration.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Flag from "effect/cli/Flag"
import { resolve } from "node:path"
import type { ConfigError } from "../../../schemas/config/ConfigError.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { givenServer, withOnly, withServer } from "../servers/givenServer.ts"
import { ISOLATIONS } from "../../../schemas/config/ServerKeys.ts"
import type { LoginPage } from "../../../schemas/login/Login.ts"
import { nearest } from "../../../schemas/call/Names.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { ConfigSource } from "../../../services/config/ConfigSource.ts"
import type { McpLiveOptions } from "../../../layers/McpLive/options.ts"
import { find } from "../../exec/become.ts"
import { openBrowser } from "../questions/browser.ts"
import { UsageError } from "../command.ts"
import { describedFlags } from "../commonFlags.ts"
import { complain, visible } from "../output.ts"
import { unconfigured } from "../setup/unconfigured.ts"
import { Words } from "../afterDashes.ts"

export const whatFlags = {
  ...describedFlags({
    url: "A server at this URL; a configuration is read only if --config is given",
    bareVariable: "its current value"
  }),
  server: Flag.String("server").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Serve only this server of the configuration, with its own names"),
    Flag.optional
  ),
  isolate: Flag.ChoiceWithValue(
    "isolate",
    ISOLATIONS.map((one) => [one, one] as const)
  ).pipe(
    Flag.withDescription(
      "With --http: start separate servers for each session, or each client; without it, as configured"
    ),
    Flag.optional
  )
}

interface Flags {
  readonly url: Option.Option<string>
  readonly header: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
  readonly cwd: Option.Option<string>
  readonly allowPrivate: boolean
  readonly server: Option.Option<string>
}

export interface What {
  /** The part of the configuration that is served. */
  readonly load: Effect.Effect<GatewayConfig, ConfigError | UsageError>
  /** The name of the server, if only one is served. */
  readonly only: string | undefined
  /** For the runtime, which reads the configuration again; `source` is set when there is no file. */
  readonly live: Pick<McpLiveOptions, "config" | "narrow" | "login"> & {
    readonly source?: Layer.Layer<ConfigSource>
  }
}

const loadFrom = (path: string | undefined) =>
  Effect.flatMap(
    Effect.promise(() => import("../../../layers/config/ConfigSource.ts")),
    (configs) => ConfigSource.use(({ load }) => load).pipe(Effect.provide(configs.layer({ path })))
  )

// ---- a server on the command line ----------------------------------------------------------------------------------

/** A person who starts the program for a URL sees the login page as soon as it is needed. */
const showLogin = Effect.fnUntraced(function* ({ issuer, server, url }: LoginPage) {
  const opened = yield* openBrowser(url)
  const how = opened
    ? "Your browser has been started; if it does not show the page, open this address:"
    : "Open this address:"
  yield* complain(`MCP server '${visible(server)}' needs a login at ${visible(issuer)}\n${how}`)
  yield* Effect.sync(() => void process.stderr.write(`\n${visible(url)}\n\n`))
})

/** Checked before a client is greeted, which would otherwise see a server without tools. */
const missingCommand = ({ launch }: ServerConfig): string | undefined => {
  if (launch.kind !== "stdio" || process.platform === "win32") return undefined
  const { command, cwd = ".", env } = launch
  const path = env["PATH"] ?? process.env["PATH"]
  const variables: Record<string, string> = path === undefined ? {} : { PATH: path }
  const found = find(command.includes("/") ? resolve(cwd, command) : command, variables)
  return "problem" in found ? found.problem : undefined
}

const given = (server: ServerConfig, config: string | undefined): What => {
  const only = server.name
  const login = server.launch.kind === "stdio" ? {} : { login: showLogin }
  const narrow = (whole: GatewayConfig) => withServer(whole, server)
  const load = Effect.map(config === undefined ? unconfigured : loadFrom(config), narrow)
  if (config !== undefined) return { only, load, live: { config, narrow, ...login } }
  return {
    only,
    load,
    live: { source: Layer.succeed(ConfigSource, { load: Effect.map(unconfigured, narrow) }), ...login }
  }
}

// ---- a server of the configuration ---------------------------------------------------------------------------------

const checked = Effect.fnUntraced(function* (config: GatewayConfig, name: string) {
  const names = [
    ...new Set(config.agents.flatMap(({ servers }) => servers.flatMap((one) => (one.enabled ? [one.name] : []))))
  ]
  if (names.includes(name)) return withOnly(config, name)
  const near = nearest(name, names)
  const hint = near === null ? `there are: ${names.join(", ") || "none"}` : `did you mean '${near}'?`
  return yield* new UsageError({ message: `--server: there is no server '${visible(name)}'; ${visible(hint)}` })
})

export const whatOf = Effect.fnUntraced(function* (
  flags: Flags,
  config: string | undefined
): Effect.fn.Return<What, UsageError> {
  const url = Option.getOrUndefined(flags.url)
  const name = Option.getOrUndefined(flags.server)
  const { allowPrivate, env, header: headers } = flags
  const words = yield* Words
  if (words?.length === 0) return yield* new UsageError({ message: "there is no command after --" })
  const command = words ?? []
  const cwd = Option.getOrUndefined(Option.map(flags.cwd, (path) => resolve(path)))
  if (
    command.length > 0 ||
    url !== undefined ||
    headers.length > 0 ||
    env.length > 0 ||
    allowPrivate ||
    cwd !== undefined
  ) {
    if (name !== undefined)
      return yield* new UsageError({ message: "--server chooses from a configuration: leave it out here" })
    const read = givenServer({ command, url, headers, env, allowPrivate, cwd }, process.env)
    if (Result.isFailure(read)) return yield* new UsageError({ message: read.failure })
    const missing = missingCommand(read.success)
    if (missing !== undefined) return yield* new UsageError({ message: visible(missing) })
    return given(read.success, config)
  }
  if (name === undefined) return { only: undefined, load: loadFrom(config), live: { config } }
  return {
    only: name,
    load: Effect.flatMap(loadFrom(config), (whole) => checked(whole, name)),
    live: { config, narrow: (whole: GatewayConfig) => withOnly(whole, name) }
  }
})
