/**
 * Records which requests clients have in flight at servers, so that a server's question reaches the right client. It is passed on only when
 * there is no doubt (`system/underway.ts`).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { SERVE_LATE_ANSWERED_MS, SERVE_LATE_MS } from "../../schemas/defaults/Serve.ts"
import { isOneClients, processOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { Unasked } from "../../services/content/HostFeatures.ts"
import type { RequestContext } from "../../services/listener/McpListener.ts"
import * as Requests from "../../system/underway.ts"

/** The request during which an effect runs. */
export class OwnRequestContext extends Context.Reference<RequestContext | undefined>(
  "mcp-live/programs/serve/OwnRequestContext",
  {
    defaultValue: (): RequestContext | undefined => undefined
  }
) {}

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
    one: Requests.One<RequestContext>,
    effect: Effect.Effect<A, E, R>,
    isOpen?: (result: A) => boolean
  ) => Effect.Effect<A, E, R>
  /** Runs a call that is no client's. */
  readonly unasked: Unasked
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

/** Whoever calls without being a client. */
const NO_CLIENT = { exchange: undefined, client: "" }

const lateMs = <A>(exit: Exit.Exit<A, unknown>, isOpen?: (result: A) => boolean): number =>
  Exit.isSuccess(exit) && isOpen?.(exit.value) !== true ? SERVE_LATE_ANSWERED_MS : SERVE_LATE_MS

const isSeveral = (where: Where): where is ReadonlySet<string> => where instanceof Set

export const makeUnderway = ({ asksInAnswers, oneClient }: Options): Underway => {
  const requests = Requests.makeUnderway<RequestContext | undefined>()
  /** Whether every question and message there concerns the same client. */
  const isForOne = (where: Where) => oneClient || (!isSeveral(where) && isOneClients(where))
  const lookUp = (server: ServerConfig): Effect.Effect<Whom> =>
    Effect.suspend(() => {
      const key = processOf(server)
      const isAlone = isForOne(server) && requests.at(key).every(({ exchange }) => exchange !== undefined)
      return Effect.map(requests.whom(key, isAlone), (found = Requests.NOBODY) =>
        typeof found === "string" ? found : (found.exchange ?? Requests.NOBODY)
      )
    })

  return {
    during: (where, one, effect, isOpen) =>
      requests.during(
        isSeveral(where) ? where : processOf(where),
        one,
        Effect.provideService(effect, OwnRequestContext, one.exchange),
        (exit) => (isForOne(where) ? 0 : lateMs(exit, isOpen))
      ),
    unasked: (servers, call) =>
      servers.map(processOf).reduce((inner, key) => requests.during(key, NO_CLIENT, inner, lateMs), call),
    only: (server) => {
      const [only, ...others] = isForOne(server) ? requests.at(processOf(server)) : []
      return others.length === 0 ? only?.exchange : undefined
    },
    whom: (server) =>
      Effect.flatMap(OwnRequestContext, (own) =>
        own === undefined
          ? lookUp(server)
          : Effect.flatMap(asksInAnswers(server), (inAnswers) => (inAnswers ? Effect.succeed(own) : lookUp(server)))
      )
  }
}
