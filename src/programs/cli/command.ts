/** What all commands share: flags, the runtime, and errors. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FileSystem from "effect/FileSystem"
import type * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { existsSync } from "node:fs"
import { basename, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Options as HostOptions } from "../../layers/content/HostFeatures.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import type { GatewayOptions } from "../../layers/McpLive/GatewayLive.ts"
import type { GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import { type ConfigIssue, formatIssue } from "../../schemas/config/ConfigIssue.ts"
import type { CompletionError, PromptError, ResourceError } from "../../schemas/call/CallError.ts"
import { callerAtTerminal } from "../../schemas/call/Caller.ts"
import { nearest } from "../../schemas/call/Names.ts"
import type { Approve } from "../../services/call/Approvals.ts"
import { ConfigSource } from "../../services/config/ConfigSource.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import { McpRuntime } from "../../services/call/McpRuntime.ts"
import { keepKnownTools, typedNames, type Typeable } from "./servers/knownTools.ts"
import { redactorLayer } from "./masking.ts"
import { complain, printJson } from "./output.ts"
import { untilStopped } from "./signals.ts"
import { terminalUser } from "../../system/terminalUser.ts"

/** Wrong usage: exit code 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** Ends the command with an exit code; everything has been printed already. */
export class ExitWith extends Data.TaggedError("ExitWith")<{ readonly code: number }> {}

export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** Accepts only an existing directory. The messages are ours. */
export const existingDirectory = (flag: string) =>
  Effect.fnUntraced(function* (path: string) {
    const files = yield* FileSystem.FileSystem
    const found = Option.getOrUndefined(yield* Effect.option(files.stat(path)))
    if (found?.type === "Directory") return path
    const what = found === undefined ? `the directory '${path}' does not exist` : `'${path}' is not a directory`
    return yield* new CliError.ValidationError({ message: `--${flag}: ${what}` })
  })

export const root = Command.make("mcp-live").pipe(
  Command.withDescription("Gives an agent gateway MCP: supervised servers, safe tools."),
  Command.withSharedFlags({
    config: Flag.String("config").pipe(
      Flag.withAlias("c"),
      Flag.withMetavar("PATH"),
      Flag.withDescription("The configuration file; without it, the usual places are searched"),
      Flag.optional
    ),
    agent: Flag.String("agent").pipe(
      Flag.withAlias("a"),
      Flag.withMetavar("ID"),
      Flag.withDescription("The agent whose servers and rules apply; without it, the default agent"),
      Flag.optional
    ),
    workspace: Flag.Path("workspace").pipe(
      Flag.mapEffect(existingDirectory("workspace")),
      Flag.withAlias("w"),
      Flag.withMetavar("DIR"),
      Flag.withDescription("The directory that servers are told to work in"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON document on stdout and nothing else"),
      Flag.withDefault(false)
    )
  })
)

/** Sets the minimum log level of a command, unless `--log-level` is given. */
export const withLogLevel = (level: LogLevel.LogLevel) =>
  Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
    const chosen = yield* GlobalFlag.LogLevel
    return yield* Option.isSome(chosen) ? effect : Effect.provideService(effect, References.MinimumLogLevel, level)
  })

/**
 * Without `--workspace` there are no roots: a server that follows roots replaces the directories in its own arguments by
 * them, and could then reach further than the configuration says.
 */
export const rootsOf = (workspace: Option.Option<string>) =>
  Option.match(workspace, {
    onNone: () => ({}),
    onSome: (directory) => ({ roots: [{ uri: pathToFileURL(directory).href, name: basename(resolve(directory)) }] })
  })

/** How to ask the person at the terminal; without these functions nobody is asked. `narrow` reduces the configuration. */
export interface HostCallbacks extends Pick<HostOptions, "elicit"> {
  readonly approve?: Approve | undefined
  readonly narrow?: ((config: GatewayConfig) => GatewayConfig) | undefined
  /** In place of the one that the command line names. */
  readonly agent?: string | undefined
  /** The same for the configuration. */
  readonly source?: Layer.Layer<ConfigSource> | undefined
}

const liveOptions = Effect.fnUntraced(function* ({ agent: chosen, approve, narrow, source, ...host }: HostCallbacks) {
  const { agent, config, workspace } = yield* root
  return {
    config: Option.getOrUndefined(config),
    agent: chosen ?? Option.getOrUndefined(agent),
    caller: callerAtTerminal(terminalUser()),
    approve,
    narrow,
    telemetry: true,
    host: { ...rootsOf(workspace), ...host },
    replace: { redactor: redactorLayer, ...(source !== undefined && { config: source }) }
  }
})

/** The whole runtime, for the flags of this command. Loads the heavy parts, which `--help` does not need. */
const liveLayer = (doors: HostCallbacks) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { McpLive } = yield* Effect.promise(() => import("../../layers/McpLive.ts"))
      return McpLive(yield* liveOptions(doors))
    })
  )

/** The same for a command that stays: other commands can reach it. */
export const gatewayLayer = (gateway: GatewayOptions, doors: HostCallbacks) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { GatewayLive } = yield* Effect.promise(() => import("../../layers/McpLive/GatewayLive.ts"))
      return GatewayLive(yield* liveOptions(doors), gateway)
    })
  )

/** Commands that run once do not log warnings, except this one: others can read a file with credentials. */
const tellCredentials = Effect.gen(function* () {
  const { load } = yield* ConfigSource
  const { warnings } = yield* Effect.orElseSucceed(load, () => ({ warnings: [] as ReadonlyArray<ConfigIssue> }))
  for (const warning of warnings)
    if (warning.about === "credentials") yield* complain(`warning: ${formatIssue(warning)}`)
})

const configured = Effect.gen(function* () {
  const { config } = yield* root
  const { findFile, layer, layerOptional } = yield* Effect.promise(() => import("../../layers/config/ConfigSource.ts"))
  const path = Option.getOrUndefined(config)
  return { file: findFile({ path }), source: path === undefined ? layerOptional() : layer({ path }) }
})

/** The configuration, which may be absent unless it is named; for commands that may not look in the wrong place. */
export const loadConfigured = Effect.flatMap(configured, ({ source }) =>
  Effect.provide(
    ConfigSource.use(({ load }) => load),
    source
  )
)

/** A file that is named has to be there: it may name a fleet, whose records are elsewhere. */
const tellOfConfigured = Effect.gen(function* () {
  const { file, source } = yield* configured
  const found = yield* file
  if (found !== undefined && !existsSync(found)) yield* loadConfigured
  yield* Effect.provide(tellCredentials, source)
})

/** For commands without a runtime, which need no configuration. Other problems of the configuration are reported elsewhere. */
export const warned = <const Name extends string, Input, ContextInput, E, R>(
  command: Command.Command<Name, Input, ContextInput, E, R>
) => Command.provideEffectDiscard(command, tellOfConfigured)

/** With `--log-level`, the warnings are in the log that is written when the configuration is read. */
const tellUnlogged = Effect.flatMap(GlobalFlag.LogLevel, (level) =>
  Option.isSome(level) ? Effect.void : tellCredentials
)

/**
 * For commands that run once: starts the servers, runs `use`, and stops the servers, also on a signal. What servers write to
 * stderr (a warning each) is not logged, because it would hide the result.
 */
export const withRuntime = <A, E, R>(
  use: (runtime: McpRuntimeShape) => Effect.Effect<A, E, R>,
  doors: HostCallbacks = {},
  /** Not for a command that itself tells what is wrong with the configuration. */
  tells = true
) =>
  McpRuntime.use((runtime) => Effect.andThen(tells ? tellUnlogged : Effect.void, use(runtime))).pipe(
    Effect.provide(liveLayer(doors)),
    untilStopped,
    withLogLevel("Error")
  )

/** Stores tool names for completion in a shell. Unless these are `all` tools, the names that were known before are kept. */
export const rememberTools = Effect.fnUntraced(function* (agent: string, tools: ReadonlyArray<Typeable>, all: boolean) {
  const { load } = yield* ConfigSource
  const names = typedNames(tools)
  // If the configuration has become invalid, that is reported elsewhere.
  yield* Effect.ignore(Effect.flatMap(load, ({ file }) => keepKnownTools({ file, agent }, names, all)))
})

/** Reports an error of a server as one line on stderr, or one document with `--json`; the exit code is 1. */
export const explained = Effect.fnUntraced(function* <A, R>(
  effect: Effect.Effect<A, ResourceError | PromptError | CompletionError, R>
) {
  const { json } = yield* root
  const sanitizer = yield* ContentSanitizer
  return yield* effect.pipe(
    Effect.catch((error) => {
      const message = sanitizer.label(error.message, ERROR_TEXT_MAX_CHARS)
      const where =
        error._tag === "PromptNotFound" && error.suggestion === null ? " 'mcp-live prompts' lists them." : ""
      const told = json ? printJson({ error: { tag: error._tag, message } }) : complain(`${message}${where}`)
      return Effect.andThen(told, new ExitWith({ code: EXIT_FAILED }))
    })
  )
})

export const serverFlag = (description: string) =>
  Flag.String("server").pipe(
    Flag.withAlias("s"),
    Flag.withMetavar("NAME"),
    Flag.withDescription(description),
    Flag.optional
  )

/** The server that a flag or an argument names. An unknown server is wrong usage. */
export const chosenServer = Effect.fnUntraced(function* (
  runtime: Pick<McpRuntimeShape, "status">,
  flag: Option.Option<string>
) {
  if (Option.isNone(flag)) return undefined
  const servers = Object.keys(yield* runtime.status)
  if (servers.includes(flag.value)) return flag.value
  const near = nearest(flag.value, servers)
  const hint = near === null ? `there are: ${servers.join(", ")}` : `did you mean '${near}'?`
  return yield* new UsageError({ message: `there is no server '${flag.value}'; ${hint}` })
})
