/**
 * What clients have under way at servers, so that a server that asks something can be led to the client that it asks it of.
 * Servers push their questions over a connection that many calls share, and do not say which call a question is for; so it
 * is only answered where there is no doubt.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { isOwn, processOf } from "../../schemas/Isolation.ts"
import type { ServerConfig } from "../../schemas/ServerConfig.ts"
import type { Exchange } from "../../services/McpListener.ts"

/** The request that an effect is part of. */
export class OwnExchange extends Context.Reference<Exchange | undefined>("mcp-live/programs/serve/OwnExchange", {
  defaultValue: (): Exchange | undefined => undefined
}) {}

/** Whom a question is for; or why that cannot be said, in words for the log. */
export type Whom = Exchange | string

export interface Underway {
  /** Runs a request of a client at this server of its agent. */
  readonly during: <A, E, R>(
    server: ServerConfig,
    exchange: Exchange,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  readonly whom: (server: ServerConfig) => Effect.Effect<Whom>
  /**
   * The request that what a server says is about: where but one client can be there, and this is all that it has under way. A
   * server may speak of a request that is over; with two clients that would be somebody else's.
   */
  readonly only: (server: ServerConfig) => Exchange | undefined
}

export interface Options {
  /** There is but one client, so that any of its requests will do. */
  readonly oneClient: boolean
  /**
   * Whether it asks in its answers (2026-07-28), where a question is part of the request that it is for. A connection over which
   * questions are pushed may have been opened by any request, which says nothing of what is asked later.
   */
  readonly asksInAnswers: (server: ServerConfig) => Effect.Effect<boolean>
}

export const makeUnderway = ({ asksInAnswers, oneClient }: Options): Underway => {
  const running = new Map<string, Set<Exchange>>()
  /** Whoever asks or is told there, it is the same client. */
  const isOneClients = (server: ServerConfig) => oneClient || isOwn(server)

  const add = (key: string, exchange: Exchange) => {
    const there = running.get(key)
    if (there === undefined) running.set(key, new Set([exchange]))
    else there.add(exchange)
  }
  const remove = (key: string, exchange: Exchange) => {
    const there = running.get(key)
    there?.delete(exchange)
    if (there?.size === 0) running.delete(key)
  }

  const lookUp = (server: ServerConfig): Whom => {
    const there = [...(running.get(processOf(server)) ?? [])]
    if (there.length === 0) return "no client has a request under way there"
    if (there.length > 1 && !isOneClients(server)) return `clients have ${there.length} requests under way there`
    return there.at(-1)!
  }

  return {
    during: (server, exchange, effect) =>
      Effect.suspend(() => {
        const key = processOf(server)
        add(key, exchange)
        return Effect.ensuring(
          Effect.provideService(effect, OwnExchange, exchange),
          Effect.sync(() => remove(key, exchange))
        )
      }),
    only: (server) => {
      const there = running.get(processOf(server))
      return isOneClients(server) && there?.size === 1 ? [...there][0] : undefined
    },
    whom: (server) =>
      Effect.flatMap(OwnExchange, (own) =>
        own === undefined
          ? Effect.sync(() => lookUp(server))
          : Effect.map(asksInAnswers(server), (inAnswers) => (inAnswers ? own : lookUp(server)))
      )
  }
}
