/**
 * The agent with its servers, as they are configured now. A new configuration replaces only the servers whose entry has changed: the others
 * keep their process and connection. Those that go finish the calls that are under way first.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { launchIdentity } from "../../../schemas/call/DefinitionHash.ts"
import { isSameValue, leaseKeyOf } from "../../../schemas/config/ConfigDifference.ts"
import type { AgentConfig } from "../../../schemas/config/GatewayConfig.ts"
import { RELOAD_DRAIN_MS, RELOAD_SHARED_MS } from "../../../schemas/defaults/Reload.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { LeaseOptions, Predecessor, SupervisedServer } from "../../../services/connection/ServerPool.ts"
import { type AgentServer, toAgentServer } from "./AgentServer.ts"

/** An agent, and its servers in the order of its configuration. */
export interface Present {
  readonly agent: AgentConfig
  readonly servers: ReadonlyArray<AgentServer>
}

export interface AgentServers {
  /** The same object until the configuration changes. */
  readonly present: () => Present
  readonly all: () => ReadonlyArray<AgentServer>
  readonly named: (name: string) => AgentServer | undefined
  /** Whether it is still one of them; otherwise another one may have its name. */
  readonly isPresent: (server: AgentServer) => boolean
  /** The present ones, then those after each change. */
  readonly changes: Stream.Stream<ReadonlyArray<AgentServer>>
  /** Returns the servers that are new. */
  readonly apply: (agent: AgentConfig) => Effect.Effect<ReadonlyArray<AgentServer>>
  /** What `apply` would give, without the servers that it would have to start. */
  readonly preview: (agent: AgentConfig) => Present
}

type Lease = (
  config: ServerConfig,
  options: Pick<LeaseOptions, "after">
) => Effect.Effect<SupervisedServer, never, Scope.Scope>

const untilClosed = ({ changes }: SupervisedServer) =>
  changes.pipe(
    Stream.filter(({ state }) => state._tag === "Closed"),
    Stream.runHead
  )

interface Held {
  readonly server: AgentServer
  readonly scope: Scope.Closeable
}

/** Keeps the same object if nothing in it would differ. */
const renewed = (agent: AgentConfig, config: ServerConfig, before: AgentServer): AgentServer => {
  const after = toAgentServer(agent, config, before.supervised)
  return isSameValue(before.config, config) && isSameValue(before.rules, after.rules) ? before : after
}

const isSamePresent = (one: Present, other: Present): boolean =>
  one.servers.length === other.servers.length &&
  one.servers.every((server, i) => server === other.servers[i]) &&
  isSameValue(one.agent, other.agent)

/** What it offers is still believed if only its environment, or how it is supervised, has changed. */
const catalogueFor = (config: ServerConfig, { config: before, supervised }: AgentServer) =>
  config.enabled && config.fault === undefined && launchIdentity(before) === launchIdentity(config)
    ? supervised.snapshot().catalogue
    : undefined

export const makeServers = Effect.fnUntraced(function* (
  first: AgentConfig,
  lease: Lease
): Effect.fn.Return<AgentServers, never, Scope.Scope> {
  const scope = yield* Effect.scope
  // Released in parallel: stopping one server may take seconds, and twenty must not take twenty times as long.
  const leases = yield* Scope.fork(scope, "parallel")
  const oneChange = Semaphore.makeUnsafe(1)
  let held: ReadonlyMap<string, Held> = new Map()

  /** Stops a server for this agent when its calls have ended. Others may go on using it. */
  const retire = Effect.fnUntraced(function* ({ scope: own, server: { supervised } }: Held) {
    const gone = yield* Deferred.make<void>()
    yield* Effect.timeoutOption(supervised.quiet, RELOAD_DRAIN_MS).pipe(
      Effect.andThen(Scope.close(own, Exit.void)),
      // Another agent may be giving it up just now.
      Effect.andThen(Effect.timeoutOption(untilClosed(supervised), RELOAD_SHARED_MS)),
      Effect.flatMap((closed) => (Option.isSome(closed) ? supervised.gone : Effect.void)),
      Effect.andThen(Deferred.succeed(gone, undefined)),
      Effect.forkIn(scope)
    )
    return { gone: Deferred.await(gone) }
  })

  const leased = Effect.fnUntraced(function* (agent: AgentConfig, config: ServerConfig, after?: Predecessor) {
    const own = yield* Scope.fork(leases)
    const supervised = yield* Scope.provide(lease(config, { after }), own)
    return { server: toAgentServer(agent, config, supervised), scope: own }
  })

  const isKept = (config: ServerConfig, before: Held | undefined): boolean =>
    before !== undefined && leaseKeyOf(before.server.config) === leaseKeyOf(config)

  const next = Effect.fnUntraced(function* (agent: AgentConfig) {
    const names = new Set(agent.servers.map(({ name }) => name))
    for (const [name, one] of held) if (!names.has(name)) yield* retire(one)
    const entries = yield* Effect.forEach(
      agent.servers,
      Effect.fnUntraced(function* (config) {
        const before = held.get(config.name)
        if (before === undefined) return [config.name, yield* leased(agent, config)] as const
        if (isKept(config, before)) {
          return [config.name, { ...before, server: renewed(agent, config, before.server) }] as const
        }
        const after = { catalogue: catalogueFor(config, before.server), ...(yield* retire(before)) }
        return [config.name, yield* leased(agent, config, after)] as const
      }),
      { concurrency: "unbounded" }
    )
    held = new Map(entries)
    return { agent, servers: entries.map(([, { server }]) => server) }
  })

  const state = yield* SubscriptionRef.make<Present>(yield* next(first))
  const present = () => SubscriptionRef.getUnsafe(state)
  const all = () => present().servers

  return {
    present,
    all,
    named: (name) => held.get(name)?.server,
    isPresent: (server) => held.get(server.config.name)?.server === server,
    changes: Stream.map(SubscriptionRef.changes(state), ({ servers }) => servers),
    apply: (agent) =>
      oneChange.withPermit(
        Effect.uninterruptible(
          Effect.gen(function* () {
            const before = present()
            const after = yield* next(agent)
            if (isSamePresent(before, after)) return []
            yield* SubscriptionRef.set(state, after)
            const known = new Set(before.servers.map(({ supervised }) => supervised))
            return after.servers.filter(({ supervised }) => !known.has(supervised))
          })
        )
      ),
    preview: (agent) => ({
      agent,
      servers: agent.servers.flatMap((config) => {
        const before = held.get(config.name)
        if (before === undefined) return []
        if (isKept(config, before)) return [renewed(agent, config, before.server)]
        return catalogueFor(config, before.server) === undefined
          ? []
          : [toAgentServer(agent, config, before.server.supervised)]
      })
    })
  }
})
