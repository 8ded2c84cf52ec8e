/**
 * The connection to a server at another node. Each request is sent once. One is sent again only if it certainly was not executed, or if it is
 * a call that may run again (`mayRunAgain`) and its node is dead.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { ConnectionLost, ProtocolError, type RequestError } from "../../../schemas/connection/RequestError.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ConnectionInfo } from "../../../schemas/connection/ServerState.ts"
import { MOVED_TRIES } from "../../../schemas/defaults/FleetNodes.ts"
import { EMPTY, type Catalogue } from "../../../schemas/connection/Catalogue.ts"
import type { RequestOptions, ServerConnection } from "../../../services/connection/ServerConnector.ts"
import type { Far, Home } from "./home.ts"

export interface Around {
  readonly config: ServerConfig
  readonly info: ConnectionInfo
  readonly catalogue: () => Catalogue | undefined
  /** Where it lives after this place; `undefined` if none is found in time. */
  readonly nextAfter: (home: Home) => Effect.Effect<Home | undefined>
  /** Whether this node counts as alive: otherwise others may run its calls again. */
  readonly isCurrent: () => boolean
}

const NEVER = Effect.succeed(false)

type Ask = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  options: RequestOptions
) => Effect.Effect<unknown, RequestError>

export const farConnection = (first: Far, around: Around): ServerConnection => {
  const { config, info, catalogue, isCurrent, nextAfter } = around
  const server = config.name

  const lost = (detail: string, maybeExecuted: boolean) => new ConnectionLost({ server, detail, maybeExecuted })

  /** The first time it may have been executed, whatever became of the second. */
  const afterOneThatLeft = (error: RequestError): RequestError => {
    if (error._tag === "ConnectionLost") return lost(error.detail, true)
    return error._tag === "ProtocolError" ? new ProtocolError({ ...error, maybeExecuted: true }) : error
  }

  const elsewhere = (home: Home, tries: number, method: string, params: Parameters<Ask>[1], options: RequestOptions) =>
    Effect.flatMap(nextAfter(home), (next) => {
      if (next === undefined || tries === 0) return Effect.fail(lost("it moves to another node", false))
      return next.kind === "far"
        ? send(next, tries - 1)(method, params, options)
        : Effect.catchTag(
            next.server.use((connection) => connection.request(method, params, options)),
            "ServerUnavailable",
            ({ message }) => lost(message, false)
          )
    })

  const send =
    (home: Far, tries: number): Ask =>
    (method, params, options) =>
      Effect.contextWith((context: Context.Context<never>): Effect.Effect<unknown, RequestError> => {
        const { calls, client, lease, place } = home
        const { asTask, idleMs, mayRunAgain = NEVER, onProgress, totalMs } = options
        const call = randomUUID()
        calls.set(call, { context, onProgress })
        const gone = (): Effect.Effect<unknown, RequestError> =>
          Effect.flatMap(isCurrent() ? mayRunAgain : NEVER, (again) =>
            again
              ? Effect.mapError(elsewhere(home, tries, method, params, options), afterOneThatLeft)
              : lost(`node '${place.node.name}', where its process lived, is gone`, method === "tools/call")
          )
        return client
          .ServerRequest({
            place,
            lease,
            call,
            method,
            params,
            idleMs,
            totalMs,
            progress: onProgress !== undefined,
            ...(asTask === undefined ? {} : { asTask })
          })
          .pipe(
            Effect.ensuring(Effect.sync(() => calls.delete(call))),
            Effect.catchTags({
              NotHere: () => elsewhere(home, tries, method, params, options),
              ServerUnavailable: ({ message }) => lost(message, false),
              RpcClientError: gone
            }),
            // A node that ends interrupts what it answers, which reaches the caller as an interruption, though it is not interrupted.
            Effect.catchCauseIf(Cause.hasInterruptsOnly, gone),
            Effect.catchDefect((defect) =>
              Effect.andThen(
                Effect.logError(`[${server}] ${method} at another node: unexpected failure`, defect),
                Effect.fail(
                  new ProtocolError({
                    server,
                    code: null,
                    detail: "the request failed at the node that runs it",
                    isOurs: true,
                    maybeExecuted: true
                  })
                )
              )
            )
          )
      })

  return {
    info,
    catalogue: catalogue() ?? EMPTY,
    request: send(first, MOVED_TRIES),
    // Lists are read where the process lives, and told from there.
    discover: Effect.suspend(() => Effect.succeed(catalogue() ?? EMPTY)),
    onEvent: () => {},
    watchResources: () => Effect.void,
    ping: Effect.succeed(true),
    closed: Effect.never
  }
}
