/** The runtimes that requests are about: that of the main agent, and others for as long as somebody asks about them. */
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import { UnknownAgent } from "../../../schemas/call/UnknownAgent.ts"
import { CONTROL_AGENT_KEPT_MS } from "../../../schemas/defaults/Control.ts"
import { AgentRuntimes } from "../../../services/call/AgentRuntimes.ts"
import { McpRuntime } from "../../../services/call/McpRuntime.ts"

export interface About {
  readonly agent?: string
}

export const makeRuntimes = Effect.gen(function* () {
  const main = yield* McpRuntime
  const runtimes = yield* AgentRuntimes
  const others = yield* RcMap.make({ lookup: runtimes.get, idleTimeToLive: CONTROL_AGENT_KEPT_MS })
  return {
    main,
    agents: runtimes.agents,
    /** For the Scope of the request. */
    of: Effect.fnUntraced(function* ({ agent = main.agent }: About) {
      if (agent === main.agent) return main
      if (!runtimes.agents.includes(agent)) return yield* new UnknownAgent({ agent, known: [...runtimes.agents] })
      return yield* RcMap.get(others, agent)
    })
  }
})
export type Runtimes = Effect.Success<typeof makeRuntimes>
