/** What all commands share: the flags, the runtime behind them, and how they fail. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"
import { McpRuntime } from "../../services/McpRuntime.ts"
import { untilStopped } from "./signals.ts"

/** Wrong use: the exit code is 2. */
export class UsageError extends Data.TaggedError("UsageError")<{ readonly message: string }> {}

/** The command has said what there is to say; only the exit code is left. */
export class ExitWith extends Data.TaggedError("ExitWith")<{ readonly code: number }> {}

export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

export const root = Command.make("mcp-live").pipe(
  Command.withDescription("Gives an agent gateway MCP: supervised servers, safe tools."),
  Command.withSharedFlags({
    config: Flag.String("config").pipe(
      Flag.withAlias("c"),
      Flag.withMetavar("PATH"),
      Flag.withDescription("The configuration; without it the usual places are searched"),
      Flag.optional
    ),
    agent: Flag.String("agent").pipe(
      Flag.withAlias("a"),
      Flag.withMetavar("ID"),
      Flag.withDescription("The agent whose servers and rules apply; the default one without it"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON document on stdout and nothing else"),
      Flag.withDefault(false)
    )
  })
)

/** A command logs from its own level on, unless `--log-level` says otherwise. */
export const withLogLevel = (level: LogLevel.LogLevel) =>
  Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
    const chosen = yield* GlobalFlag.LogLevel
    return yield* Option.isSome(chosen) ? effect : Effect.provideService(effect, References.MinimumLogLevel, level)
  })

/** The whole runtime for the flags of this command. The heavy parts are loaded here, not for `--help`. */
export const liveLayer = Layer.unwrap(
  Effect.gen(function* () {
    const { agent, config } = yield* root
    const { McpLive } = yield* Effect.promise(() => import("../../layers/McpLive.ts"))
    return McpLive({ config: Option.getOrUndefined(config), agent: Option.getOrUndefined(agent) })
  })
)

/**
 * For commands that do one thing and leave: servers are started, `use` runs, servers are stopped, also on a signal. What
 * servers say of themselves on stderr (a warning each) would only stand in the way of the result.
 */
export const withRuntime = <A, E, R>(use: (runtime: McpRuntimeShape) => Effect.Effect<A, E, R>) =>
  McpRuntime.use(use).pipe(Effect.provide(liveLayer), untilStopped, withLogLevel("Error"))
