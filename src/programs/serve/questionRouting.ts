/**
 * Records which requests clients have in flight at servers, so that a server's question reaches the right client. Servers
 * send questions over a connection that many calls share, without saying which call a question belongs to. So a question is
 * passed on only when there is no doubt.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { SERVE_LATE_ANSWERED_MS, SERVE_LATE_MS } from "../../schemas/defaults/Serve.ts"
import { isOneClients, processOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { RequestContext } from "../../services/listener/McpListener.ts"

/** The request during which an effect runs. */
export class OwnRequestContext extends Context.Reference<RequestContext | undefined>(
  "mcp-live/programs/serve/OwnRequestContext",
  {
    defaultValue: (): RequestContext | undefined => undefined
  }
) {}

/** A request and its client. */
export interface One {
  readonly exchange: RequestContext
  readonly client: string
}

/** The request that a question belongs to; or, for the log, why that is unknown. */
export type Whom = RequestContext | string

/** A server, or the processes of all servers that a request may reach while it is unknown which one it will be. */
export type Where = ServerConfig | ReadonlySet<string>

export interface Underway {
  /**
   * Runs a request of a client at this server of its agent, or at one of several. `isOpen` says whether the server may still
   * work on it after this result: then the server may ask about it for longer.
   */
  readonly during: <A, E, R>(
    where: Where,
    one: One,
    effect: Effect.Effect<A, E, R>,
    isOpen?: (result: A) => boolean
  ) => Effect.Effect<A, E, R>
  readonly whom: (server: ServerConfig) => Effect.Effect<Whom>
  /**
   * The request that a server's message is about, if only one client can be meant and this is its only request. A server may
   * speak of a finished request; with two clients that could be the other client's.
   */
  readonly only: (server: ServerConfig) => RequestContext | undefined
}

export interface Options {
  /** There is only one client, so any of its requests is right. */
  readonly oneClient: boolean
  /**
   * Whether the server asks in its responses (2026-07-28), where a question belongs to the request that it answers. Otherwise
   * a question comes over a connection that any request may have opened, which does not tell whom it is for.
   */
  readonly asksInAnswers: (server: ServerConfig) => Effect.Effect<boolean>
}

/** The process of a server, or those of several. */
type Place = string | ReadonlySet<string>

const isSeveral = (where: Where): where is ReadonlySet<string> => where instanceof Set

const placesOf = (known: ReadonlyMap<Place, unknown>, key: string): ReadonlyArray<Place> =>
  [...known.keys()].filter((place) => (typeof place === "string" ? place === key : place.has(key)))

/** From this many places on, expired entries are removed. */
const LOOKED_THROUGH_FROM = 64

export const makeUnderway = ({ asksInAnswers, oneClient }: Options): Underway => {
  const running = new Map<Place, Set<One>>()
  /** By server and client: until when a question may still be about a finished request. */
  const late = new Map<Place, Map<string, number>>()
  /** Whether every question and message there concerns the same client. */
  const isForOne = (where: Where) => oneClient || (!isSeveral(where) && isOneClients(where))

  const add = (key: Place, one: One) => {
    const there = running.get(key)
    if (there === undefined) running.set(key, new Set([one]))
    else there.add(one)
  }
  const remove = (key: Place, one: One) => {
    const there = running.get(key)
    there?.delete(one)
    if (there?.size === 0) running.delete(key)
  }
  /** Removes expired entries. */
  const lateAt = (key: Place, now: number): Map<string, number> => {
    const there = late.get(key) ?? new Map<string, number>()
    for (const [client, until] of there) if (until <= now) there.delete(client)
    if (there.size === 0) late.delete(key)
    return there
  }
  let lookAt = LOOKED_THROUGH_FROM
  const forgetOver = (now: number) => {
    if (late.size < lookAt) return
    for (const place of late.keys()) lateAt(place, now)
    lookAt = Math.max(LOOKED_THROUGH_FROM, late.size * 2)
  }
  const ended = (key: Place, { client }: One, now: number, forMs: number) => {
    forgetOver(now)
    const there = lateAt(key, now)
    there.set(client, Math.max(there.get(client) ?? 0, now + forMs))
    late.set(key, there)
  }

  const lookUp = (server: ServerConfig, now: number): Whom => {
    const key = processOf(server)
    const there = placesOf(running, key).flatMap((place) => [...running.get(place)!])
    if (there.length === 0) return "no client has a request under way there"
    if (there.length > 1 && !isForOne(server)) return `clients have ${there.length} requests under way there`
    const { client, exchange } = there.at(-1)!
    const others = placesOf(late, key)
      .flatMap((place) => [...lateAt(place, now).keys()])
      .filter((other) => other !== client)
    const isSure = isForOne(server) || others.length === 0
    return isSure ? exchange : "it may be about a call of another client that has just ended"
  }

  return {
    during: (where, one, effect, isOpen) =>
      Effect.suspend(() => {
        const key = isSeveral(where) ? where : processOf(where)
        add(key, one)
        return Effect.onExit(Effect.provideService(effect, OwnRequestContext, one.exchange), (exit) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            remove(key, one)
            const isAnswered = Exit.isSuccess(exit) && isOpen?.(exit.value) !== true
            if (!isForOne(where)) ended(key, one, now, isAnswered ? SERVE_LATE_ANSWERED_MS : SERVE_LATE_MS)
          })
        )
      }),
    only: (server) => {
      const there = running.get(processOf(server))
      return isForOne(server) && there?.size === 1 ? [...there][0]!.exchange : undefined
    },
    whom: (server) =>
      Effect.flatMap(OwnRequestContext, (own) =>
        own === undefined
          ? Effect.map(Clock.currentTimeMillis, (now) => lookUp(server, now))
          : Effect.flatMap(asksInAnswers(server), (inAnswers) =>
              inAnswers ? Effect.succeed(own) : Effect.map(Clock.currentTimeMillis, (now) => lookUp(server, now))
            )
      )
  }
}
