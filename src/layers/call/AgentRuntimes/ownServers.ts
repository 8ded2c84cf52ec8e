/** Knows the runtimes of single clients and sessions while they are there, and what runs for them alone. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentConfig } from "../../../schemas/config/GatewayConfig.ts"
import { whoseOf } from "../../../schemas/connection/Isolation.ts"
import type { OwnServer } from "../../../services/call/AgentRuntimes.ts"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"

interface Known {
  readonly runtime: McpRuntimeShape
  /** Its configuration now; `undefined` if the agent is gone. */
  readonly agent: () => AgentConfig | undefined
}

/** It has no process, and was perhaps never needed. */
const AT_REST: ReadonlySet<string> = new Set(["Idle", "Disabled", "Closed"])

const ownOf = ({ agent, runtime }: Known): Effect.Effect<ReadonlyArray<OwnServer>> =>
  Effect.map(runtime.status, (all) =>
    (agent()?.servers ?? []).flatMap((config) => {
      const [whose, status] = [whoseOf(config), all[config.name]]
      if (whose === undefined || status === undefined || AT_REST.has(status.state)) return []
      return [{ server: config.name, config, whose, status }]
    })
  )

export const makeOwnServers = () => {
  const known = new Set<Known>()
  return {
    /** For as long as the Scope is open. */
    add: (one: Known): Effect.Effect<void, never, Scope.Scope> =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => known.add(one)),
          () => Effect.sync(() => known.delete(one))
        )
      ),
    of: (agent: string): Effect.Effect<ReadonlyArray<OwnServer>> =>
      Effect.map(
        Effect.forEach(
          [...known].filter((one) => one.agent()?.id === agent),
          ownOf
        ),
        // The sessions of a client share what the client has alone.
        (all) => [...new Map(all.flat().map((one) => [`${one.server}\n${one.whose}`, one])).values()]
      )
  }
}
