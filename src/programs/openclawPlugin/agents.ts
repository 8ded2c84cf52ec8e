/** The runtimes of the agents, and the current tools of each: OpenClaw asks for the tools of a turn synchronously. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { CALL_TOOL, DESCRIBE_TOOL, SEARCH_TOOLS } from "../../schemas/call/RuntimeTools.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import { AgentRuntimes } from "../../services/call/AgentRuntimes.ts"

export interface Offer {
  readonly tools: ReadonlyArray<AgentTool>
  /** No server was starting at the last look: missing ones are not worth waiting for. */
  readonly settled: boolean
}

/** The single tool has actions in their place. */
const INDEX: ReadonlySet<string> = new Set([SEARCH_TOOLS, DESCRIBE_TOOL, CALL_TOOL])

/** In these states the tools of a server are unknown. */
const AWAY: ReadonlySet<string> = new Set(["Connecting", "Backoff", "Failed"])

export const makeAgents = (scope: Scope.Scope) => {
  const offers = new Map<string, Offer>()
  const followed = new Set<string>()
  let ids: ReadonlySet<string> | undefined

  const runtimeOf = Effect.fnUntraced(function* (agent: string) {
    const runtimes = yield* AgentRuntimes
    ids = new Set(runtimes.agents)
    return yield* Scope.provide(runtimes.get(agent), scope)
  })

  const watch = Effect.fnUntraced(function* (agent: string) {
    const runtime = yield* runtimeOf(agent)
    let settled = false
    const look = Effect.map(runtime.allTools, (tools) => {
      offers.set(agent, { tools: tools.filter(({ name }) => !INDEX.has(name)), settled })
    })
    // Starts lazy servers whose tools are still unknown.
    yield* Effect.andThen(runtime.tools, look)
    yield* Effect.forkIn(
      Effect.andThen(
        runtime.ready,
        Effect.andThen(
          Effect.sync(() => (settled = true)),
          look
        )
      ),
      scope
    )
    yield* Stream.runForEach(runtime.changes, () => look)
  })

  /** Keeps the tools of the agent up to date from now on. An agent without servers has none. */
  const follow = (agent: string) =>
    Effect.suspend(() => {
      if (followed.has(agent)) return Effect.void
      followed.add(agent)
      return Effect.asVoid(Effect.forkIn(Effect.ignore(watch(agent)), scope))
    })

  return {
    runtimeOf,
    follow,
    followAll: Effect.flatMap(AgentRuntimes, ({ agents }) => Effect.forEach(agents, follow, { discard: true })),
    /** Starts the servers of the default agent. */
    begin: AgentRuntimes.use((runtimes) => Effect.sync(() => (ids = new Set(runtimes.agents)))),
    /** The agents that have servers; `undefined` until their configuration is read. */
    ids: () => ids,
    isFollowed: (agent: string) => followed.has(agent),
    everything: Effect.gen(function* () {
      const { agents } = yield* AgentRuntimes
      const found = yield* Effect.forEach(
        agents,
        Effect.fnUntraced(function* (agent) {
          const runtime = yield* runtimeOf(agent)
          yield* Effect.andThen(runtime.tools, runtime.ready)
          const [tools, status] = yield* Effect.all([runtime.allTools, runtime.status])
          const missing = Object.entries(status).flatMap(([name, { state }]) => (AWAY.has(state) ? [name] : []))
          return { agent, missing, names: tools.flatMap(({ name }) => (INDEX.has(name) ? [] : [name])) }
        }),
        { concurrency: "unbounded" }
      )
      return {
        agents: Object.fromEntries(found.map(({ agent, names }) => [agent, names])),
        missing: [...new Set(found.flatMap(({ missing }) => missing))]
      }
    }),
    /** `undefined` until they have been read. */
    offer: (agent: string) => offers.get(agent)
  }
}
