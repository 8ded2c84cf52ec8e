/** The configuration that runs: read at the start, and again when it changes. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ConfigChange } from "../../schemas/config/ConfigChange.ts"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import type { AgentConfig, GatewayConfig } from "../../schemas/config/GatewayConfig.ts"
import type { ConfigState, Reloaded } from "../../schemas/config/ConfigState.ts"

/** What happened while a configuration was applied, beside the changes that it says itself. */
export interface Applied {
  /** Servers that were started over because a secret of theirs has another value. */
  readonly renewed: ReadonlyArray<string>
  /** What could not be applied while the gateway runs. */
  readonly pending: ReadonlyArray<string>
}

/** Makes the configuration take effect. `thorough`: secrets are compared even if that runs a command or uses a network. */
export type Apply = (config: GatewayConfig, thorough: boolean) => Effect.Effect<Applied>

/** Runs `apply` for each new configuration of one agent, for as long as the Scope is open. */
export type FollowAgent = (
  apply: (agent: AgentConfig) => Effect.Effect<void>
) => Effect.Effect<void, never, Scope.Scope>

/** The configuration that runs. A reading that fails changes nothing, and is remembered. */
export class LiveConfig extends Context.Service<
  LiveConfig,
  {
    readonly current: () => GatewayConfig
    readonly state: () => ConfigState
    /** The present state, then each new one. */
    readonly states: Stream.Stream<ConfigState>
    /** What the file says now and would change, without applying it. */
    readonly preview: Effect.Effect<{ readonly config: GatewayConfig; readonly change: ConfigChange }, ConfigError>
    /** What another configuration would change, without applying it. */
    readonly changeTo: (config: GatewayConfig) => ConfigChange
    /** Reads the file and applies it, one after the other. Returns when it is applied, not when all servers are ready. */
    readonly reload: Effect.Effect<Reloaded, ConfigError>
    /** `apply` is run for each new configuration, also if only secrets may have changed, for as long as the Scope is open. */
    readonly follow: (apply: Apply) => Effect.Effect<void, never, Scope.Scope>
  }
>()("mcp-live/services/LiveConfig") {}
