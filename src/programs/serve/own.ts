/**
 * Servers that each client, each of its sessions or the person behind it has to itself. They start when the client first needs them.
 * Those of a session stop with it; those of a client or a person stop some time after the last session, so that they are found
 * unchanged by whoever returns.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { SERVE_OWN_GONE_MS } from "../../schemas/defaults/Serve.ts"
import type { AgentConfig } from "../../schemas/config/GatewayConfig.ts"
import { heldByAgent, heldByClient, isolationOf, type Visitor } from "../../schemas/connection/Isolation.ts"
import type { ServeConfig } from "../../schemas/listener/ServeConfig.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { memoOf } from "../../schemas/data/Memo.ts"
import type { Person } from "../../schemas/login/Identity.ts"
import type { AgentRuntimes } from "../../services/call/AgentRuntimes.ts"
import type { McpClient } from "../../services/listener/McpListener.ts"
import type { WholeRuntime } from "../../services/call/McpRuntime.ts"
import { makePlaces } from "./ownServers.ts"

export interface Options {
  readonly serve: ServeConfig
  readonly runtimes: Effect.Effect<AgentRuntimes["Service"]>
  /** Closes after all clients; their servers have stopped then. */
  readonly scope: Scope.Scope
}

export interface Own {
  /** The agent as the client sees it, as it is configured now. */
  readonly agent: () => AgentConfig
  readonly runtime: Effect.Effect<WholeRuntime>
}

/** Equal ones are the same key. */
interface Kept {
  readonly agent: string
  readonly principal: string
  readonly person: Person | undefined
}

/** The agent with each server replaced by `as(server)`. */
const agentAs = (agent: AgentConfig, as: (server: ServerConfig) => ServerConfig): AgentConfig => ({
  ...agent,
  servers: agent.servers.map(as)
})

/** Servers that a client with a single server does not use are not started for it. */
const asVisitor =
  (agent: string, { isolate }: ServeConfig, visitor: Visitor, only?: string) =>
  (server: ServerConfig): ServerConfig => {
    const isolation = isolationOf(server, isolate)
    if (isolation === undefined) return heldByAgent(agent, server)
    const own = heldByClient(server, isolation, visitor)
    return only === undefined || only === server.name ? own : { ...own, enabled: false }
  }

/** For the clients of agents with such servers. */
export const makeOwn = Effect.fnUntraced(function* ({ runtimes, scope, serve }: Options) {
  const placesOf = makePlaces(serve)

  const build = (agent: string, visitor: Visitor, only?: string) =>
    Effect.flatMap(runtimes, ({ forClient }) =>
      forClient({ agent, as: asVisitor(agent, serve, visitor, only), places: placesOf(visitor.principal) })
    ).pipe(Effect.orDie)

  /** What a client shares over all its sessions, and a person over all clients: kept while one is open, and for some time after. */
  const kept = yield* RcMap.make({
    lookup: ({ agent, person, principal }: Kept) => build(agent, { principal, session: `of ${principal}`, person }),
    idleTimeToLive: SERVE_OWN_GONE_MS
  }).pipe(Scope.provide(scope))

  /** Stopping servers may take seconds: a client that leaves does not wait for servers of others. */
  const ownScope = Effect.gen(function* () {
    const mine = yield* Scope.make()
    yield* Effect.addFinalizer(() => Effect.forkIn(Effect.uninterruptible(Scope.close(mine, Exit.void)), scope))
    return mine
  })

  return Effect.fnUntraced(function* (agentNow: () => AgentConfig, { identity, only, principal }: McpClient) {
    const agent = agentNow()
    const { id } = agent
    const person = identity?.person
    const visitor: Visitor = { principal, session: randomUUID(), person }
    const mine = yield* ownScope
    const done = yield* Deferred.make<WholeRuntime>()
    const isKept = agent.servers.some((server) => {
      const isolation = isolationOf(server, serve.isolate)
      return isolation === "client" || isolation === "person"
    })
    const keeping = isKept ? Effect.asVoid(RcMap.get(kept, { agent: id, principal, person })) : Effect.void
    yield* Effect.andThen(keeping, build(id, visitor, only)).pipe(
      Scope.provide(mine),
      Deferred.into(done),
      Effect.forkIn(mine)
    )
    const seen = memoOf((now: AgentConfig) => agentAs(now, asVisitor(id, serve, visitor, only)))
    const own: Own = {
      agent: () => seen(agentNow()),
      runtime: Deferred.await(done)
    }
    return own
  })
})
