/**
 * The door on the loopback. Who asks is looked at before what: the Host that a browser would be led to by a false name, the
 * Origin that a page has, the token. Then clients with sessions and clients without go their ways.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  LISTENER_CONNECTIONS_MAX,
  LISTENER_HEAD_MS,
  LISTENER_RECEIVE_MS,
  LISTENER_SUBSCRIPTIONS_MAX,
  LISTENER_UNREAD_MS
} from "../../schemas/Defaults.ts"
import { ListenFailed } from "../../schemas/ListenerError.ts"
import type { Label } from "../../schemas/ServerText.ts"
import type { HttpOptions, Serve } from "../../services/McpListener.ts"
import { listenOnLoopback, LOOPBACK, refuse } from "../../system/loopback.ts"
import { Holder } from "./Holder.ts"
import { errorResponse, readBody, toRequest, untilRead, writeResponse } from "./httpMessages.ts"
import { Principals } from "./Principals.ts"
import { INVALID_PARAMS } from "./refusals.ts"
import { Sessions } from "./Sessions.ts"
import { idOf, isListening, listenFault, withRefusals } from "./shapes.ts"
import { makeTokens, type Who } from "./tokens.ts"

const PATH = "/mcp"

const pathOf = (url = ""): string => url.split("?", 1)[0]!

export const listenHttp = Effect.fnUntraced(function* (
  serve: Serve,
  { port: wanted, tokens }: HttpOptions,
  label: Label
): Effect.fn.Return<string, ListenFailed, Scope.Scope> {
  const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/server"))
  const { port, server } = yield* listenOnLoopback({
    port: wanted,
    connectionsMax: LISTENER_CONNECTIONS_MAX,
    headMs: LISTENER_HEAD_MS,
    receiveMs: LISTENER_RECEIVE_MS
  }).pipe(
    Effect.mapError(
      ({ code }) => new ListenFailed({ detail: `port ${wanted} of this machine cannot be listened on (${code})` })
    )
  )
  const scope = yield* Effect.scope
  const run = yield* FiberSet.makeRuntime()
  const hosts = [`${LOOPBACK}:${port}`, `localhost:${port}`]
  const origins = hosts.map((host) => `http://${host}`)
  const whoHolds = makeTokens(tokens)
  const holders = new Map(tokens.map(({ principal }) => [principal, new Holder()]))
  const responses = new WeakMap<Request, ServerResponse>()
  const read = ({ http }: { readonly http?: { readonly req?: Request } }) =>
    untilRead(http?.req === undefined ? undefined : responses.get(http.req))
  const holderOf = ({ principal }: Who): Holder => holders.get(principal)!
  const common = { sdk, serve, label, read, scope, run, holderOf }
  const sessions = new Sessions(common)
  const principals = new Principals({ ...common, subscriptionsMax: LISTENER_SUBSCRIPTIONS_MAX })

  const answer = async (who: Who, incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const away = new AbortController()
    const done = new Promise<void>((resolve) =>
      response.once("close", () => {
        resolve()
        // Also when all is said: then nobody listens.
        away.abort()
      })
    )
    const holder = holderOf(who)
    if (holder.isFull()) return refuse(response, 503, { "retry-after": "1" })
    holder.follow(response)
    const isPost = incoming.method === "POST"
    const read = isPost ? await readBody(incoming, holder, done) : { value: undefined }
    if ("refused" in read) return writeResponse(read.refused, response, false, holder)
    const body = { value: withRefusals(read.value) }
    const fault = listenFault(body.value)
    if (fault !== undefined) {
      const refused = errorResponse(400, INVALID_PARAMS, `Invalid params: ${fault}`, idOf(body.value))
      return writeResponse(refused, response, false, holder)
    }
    const request = toRequest(incoming, origins[0]!, away.signal)
    if (request === undefined) return refuse(response, 400)
    responses.set(request, response)
    const isLegacy = await sdk.isLegacyRequest(request, body.value)
    const answered = isLegacy
      ? await sessions.answer(who, request, body.value, done)
      : await principals.answer(who, request, body.value)
    await writeResponse(answered, response, !isPost || isListening(body.value), holder)
    if (response.writableLength === 0) return
    const late = run(
      Effect.andThen(
        Effect.sleep(LISTENER_UNREAD_MS),
        Effect.sync(() => response.destroy())
      )
    )
    void done.then(() => late.interruptUnsafe())
  }

  server.on("request", (incoming: IncomingMessage, response: ServerResponse) => {
    const { authorization, host, origin } = incoming.headers
    // A page of our own would have it: there is none.
    const isPage = origin !== undefined && !origins.includes(origin)
    if (host === undefined || !hosts.includes(host) || isPage) return refuse(response, 403)
    if (pathOf(incoming.url) !== PATH) return refuse(response, 404)
    const who = whoHolds(authorization)
    if (who === undefined) return refuse(response, 401, { "www-authenticate": "Bearer" })
    answer(who, incoming, response).catch(() => response.destroy())
  })
  return `${origins[0]}${PATH}`
})
