/**
 * Applies each new configuration to the runtimes of its agents, and starts servers over whose secrets have other values. An agent that is gone
 * has no servers any more.
 */
import * as Effect from "effect/Effect"
import type { AgentConfig, GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { RELOAD_SECRETS_AT_ONCE } from "../../../schemas/defaults/Reload.ts"
import { ownerOf, type ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import { type FollowAgent, LiveConfig } from "../../../services/config/LiveConfig.ts"
import { SecretResolver } from "../../../services/secret/SecretResolver.ts"
import { ServerPool, type SupervisedServer } from "../../../services/connection/ServerPool.ts"

type Apart = (server: ServerConfig) => boolean

const GONE = { servers: [], rules: [{ allow: [], deny: [] }], toolIndexThreshold: 0 }

const agentIn = ({ agents }: GatewayConfig, id: string): AgentConfig =>
  agents.find((agent) => agent.id === id) ?? { id, model: undefined, ...GONE }

/**
 * Whether a server belongs to all clients or to each alone is decided when a client connects. A server for which that changes stays what it
 * is: clients that are there would otherwise share what is meant for one.
 */
const steady = (before: AgentConfig, after: AgentConfig, apart: Apart) => {
  const running = new Map(before.servers.map((server) => [server.name, server]))
  const held: Array<string> = []
  const servers = after.servers.flatMap((server) => {
    const old = running.get(server.name)
    const wasApart = old !== undefined && apart(old)
    if (apart(server) === wasApart) return [server]
    held.push(server.name)
    return old === undefined ? [] : [old]
  })
  return { agent: { ...after, servers }, held }
}

/** Gives, for an agent and for what a runtime makes of its configuration, how that runtime follows. Asked before that configuration is read. */
export const makeFollowers = Effect.fnUntraced(function* (apart: Apart) {
  const { current, follow } = yield* LiveConfig
  const pool = yield* ServerPool
  const secrets = yield* SecretResolver
  const runtimes = new Set<(config: GatewayConfig) => Effect.Effect<void>>()
  let running = current()

  const steadied = (config: GatewayConfig) => {
    const all = config.agents.map((agent) => steady(agentIn(running, agent.id), agent, apart))
    return {
      config: { ...config, agents: all.map(({ agent }) => agent) },
      held: [...new Set(all.flatMap(({ held }) => held))]
    }
  }

  /** Starts the servers over with a secret that has another value now, and tells which run on with one that cannot be read. */
  const renew = Effect.fnUntraced(function* (thorough: boolean) {
    const { rotated } = secrets
    if (rotated === undefined) return { renewed: [], unread: [] }
    const servers = pool.leased()
    const looks = new Map(
      yield* Effect.forEach(
        new Set(servers.map(({ config }) => ownerOf(config))),
        (owner) => Effect.map(rotated(owner, thorough), (look) => [owner, look] as const),
        { concurrency: RELOAD_SECRETS_AT_ONCE }
      )
    )
    const lookAt = ({ config }: SupervisedServer) => looks.get(ownerOf(config))!
    const concerned = servers.filter((server) => lookAt(server).isOther)
    yield* Effect.forEach(concerned, (server) => server.renew, { discard: true })
    const unread = servers
      .filter((server) => server.snapshot().state._tag === "Ready" && !concerned.includes(server))
      .flatMap((server) => lookAt(server).unread.map((one) => ({ server: server.config.name, ...one })))
    return { renewed: concerned.map(({ config }) => config.name), unread }
  })

  yield* follow(
    Effect.fnUntraced(function* (given, thorough) {
      const { config, held } = steadied(given)
      running = config
      yield* Effect.forEach([...runtimes], (apply) => apply(config), { concurrency: "unbounded", discard: true })
      return { ...(yield* renew(thorough)), pending: held.map((name) => `who has server ${name} alone`) }
    })
  )

  return (agent: string, as: (agent: AgentConfig) => AgentConfig): FollowAgent => {
    let known = running
    return (apply) => {
      const one = (config: GatewayConfig) => apply(as(agentIn(config, agent)))
      // A reload is not told to a runtime that is still being built, which may wait for processes to end.
      const caughtUp: Effect.Effect<void> = Effect.suspend(() => {
        if (known === running) return Effect.void
        known = running
        return Effect.andThen(one(known), caughtUp)
      })
      return Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => runtimes.add(one)),
          () => Effect.sync(() => runtimes.delete(one))
        ),
        caughtUp
      )
    }
  }
})
