/**
 * The door over HTTP. Who asks is looked at before what: the Host that a browser would be led to by a false name, the Origin
 * that a page has, the token. Then clients with sessions and clients without go their ways.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Scope from "effect/Scope"
import type { IncomingMessage, ServerResponse } from "node:http"
import {
  LISTENER_CONNECTIONS_MAX,
  LISTENER_HEAD_MS,
  LISTENER_NAME_MAX_CHARS,
  LISTENER_RECEIVE_MS,
  LISTENER_SUBSCRIPTIONS_MAX,
  LISTENER_UNREAD_MS
} from "../../../../schemas/defaults/Listener.ts"
import { ListenFailed } from "../../../../schemas/listener/ListenerError.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { HttpOptions, Serve } from "../../../../services/listener/McpListener.ts"
import { EventLoop } from "../../../../system/EventLoop.ts"
import { listenAt, LOOPBACK, refuse, SAFE_HEADERS } from "../../../../system/httpServer.ts"
import { writeRefusal } from "../../../../system/jsonBody.ts"
import { addressOf, MCP_PATH, type Address, type Caller } from "./addresses.ts"
import { Disconnect } from "./Disconnect.ts"
import { hostAt, makeAdmission } from "./admission.ts"
import { makeClientQuotas, type ClientQuota } from "../requests/ClientQuota.ts"
import { errorResponse, makeReadBody, toRequest, untilRead, writeResponse, type Held } from "./httpMessages.ts"
import { CALLS } from "../requests/intake.ts"
import { Principals } from "./Principals.ts"
import { INVALID_PARAMS } from "../requests/refusals.ts"
import { Sessions } from "./Sessions.ts"
import { idOf, isListening, sizeFault, withRefusals } from "../requests/shapes.ts"
import { makeTokens, type Who } from "./tokens.ts"
import { turnAwayStranger, turnAwayUnknown } from "./turnAway.ts"

const METHODS: Readonly<Record<Address["kind"], ReadonlyArray<string>>> = {
  mcp: ["GET", "POST", "DELETE"],
  health: ["GET", "HEAD"],
  sse: ["GET"],
  messages: ["POST"]
}

const ALIVE = JSON.stringify({ status: "ok" })

/** All that somebody without a token gets to know. */
const sayAlive = (response: ServerResponse): void => {
  const headers = { ...SAFE_HEADERS, "content-type": "application/json", "content-length": String(ALIVE.length) }
  response.writeHead(200, { ...headers, connection: "close" }).end(ALIVE)
}

/** What a person can do about it. */
const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: ": another program has it; choose another one, or 0 for one that is free",
  EADDRNOTAVAIL: ": that is no address of this machine",
  EACCES: ": you may not have it; choose one above 1023"
}

export const listenHttp = Effect.fnUntraced(function* (
  serve: Serve,
  {
    address = LOOPBACK,
    hosts,
    intake = CALLS,
    named = false,
    origins = [],
    port: asked,
    tokens,
    whichToken: wanted = "the token of this client"
  }: HttpOptions,
  label: Label
): Effect.fn.Return<string, ListenFailed, Scope.Scope> {
  const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/server"))
  const { places, port, server } = yield* listenAt({
    address,
    port: asked,
    connectionsMax: LISTENER_CONNECTIONS_MAX,
    headMs: LISTENER_HEAD_MS,
    receiveMs: LISTENER_RECEIVE_MS
  }).pipe(
    Effect.mapError(
      ({ code }) =>
        new ListenFailed({
          detail: `port ${asked} of ${address === LOOPBACK ? "this machine" : address} cannot be listened on${WHY[code] ?? ""} (${code})`
        })
    )
  )
  const scope = yield* Effect.scope
  const run = yield* FiberSet.makeRuntime()
  const own = `http://${hostAt(address)}:${port}`
  let isSaid = hosts === undefined
  let isPageSaid = false
  const admission = makeAdmission({
    port,
    hosts: hosts ?? [],
    origins,
    unknownHost: (host) => {
      if (isSaid) return
      isSaid = true
      const name = label(host, LISTENER_NAME_MAX_CHARS)
      run(
        Effect.logWarning(`a request for ${name} was refused, a name that is not ours: --allow-host NAME makes it so`)
      )
    },
    unknownPage: (origin) => {
      if (isPageSaid) return
      isPageSaid = true
      const page = label(origin, LISTENER_NAME_MAX_CHARS)
      run(Effect.logWarning(`a page of ${page} was refused: --allow-origin ORIGIN lets one in`))
    }
  })
  const whoHolds = makeTokens(tokens)
  const holders = makeClientQuotas(
    tokens.map(({ principal }) => principal),
    intake,
    (yield* EventLoop).large
  )
  const readBody = makeReadBody(intake)
  const responses = new WeakMap<Request, ServerResponse>()
  const read = ({ http }: { readonly http?: { readonly req?: Request } }) =>
    untilRead(http?.req === undefined ? undefined : responses.get(http.req))
  const returned = new WeakSet<Request>()
  const resumed = (by: Request, of: Request): void => {
    returned.add(by)
    const response = responses.get(by)
    if (response !== undefined) responses.set(of, response)
  }
  /** Who comes back for an answer gets it in one piece. */
  const heldFor = (request: Request, body: unknown): Held => {
    if (request.method === "POST") return isListening(body) ? "news" : "answer"
    if (returned.has(request)) return "answer"
    return request.headers.has("last-event-id") ? "missed" : "news"
  }
  const quotaOf = ({ principal }: Who): ClientQuota => holders.get(principal)!
  const common = { sdk, serve, label, read, resumed, scope, run, quotaOf }
  const sessions = new Sessions({ ...common, holders: tokens.length })
  const principals = new Principals({ ...common, subscriptionsMax: LISTENER_SUBSCRIPTIONS_MAX })

  const answerOf = async (
    kind: Address["kind"],
    who: Caller,
    request: Request,
    body: unknown,
    done: Promise<void>,
    away: Disconnect
  ): Promise<Response> => {
    if (kind === "messages") return sessions.say(who, request, body, away)
    return (await sdk.isLegacyRequest(request, body))
      ? sessions.answer(who, request, body, done, away)
      : principals.answer(who, request, body, done)
  }

  const answer = async (
    kind: Address["kind"],
    who: Caller,
    incoming: IncomingMessage,
    response: ServerResponse
  ): Promise<void> => {
    const away = new Disconnect()
    const done = new Promise<void>((resolve) =>
      response.once("close", () => {
        resolve()
        // Also when all is said: then nobody listens.
        away.leave()
      })
    )
    const holder = quotaOf(who)
    if (holder.isFull) return refuse(response, 503, { "retry-after": "1" })
    if (kind === "sse") {
      const refused = await sessions.stream(who, response)
      return refused === undefined ? undefined : writeResponse(refused, response, "answer", holder)
    }
    const isPost = incoming.method === "POST"
    const received = isPost ? await readBody(incoming, holder, away.ended) : { value: undefined }
    if ("refused" in received) return writeRefusal(received.refused, response)
    const messages: ReadonlyArray<unknown> = Array.isArray(received.value) ? received.value : [received.value]
    const faulty = messages.find((message) => sizeFault(message) !== undefined)
    if (faulty !== undefined) {
      const refused = errorResponse(400, INVALID_PARAMS, `Invalid params: ${sizeFault(faulty)}`, idOf(faulty))
      return writeResponse(refused, response, "answer", holder)
    }
    const body = { value: withRefusals(received.value) }
    const request = toRequest(incoming, own, away.signal)
    if (request === undefined) return refuse(response, 400)
    responses.set(request, response)
    const answered = await answerOf(kind, who, request, body.value, done, away)
    await writeResponse(answered, response, heldFor(request, body.value), holder)
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
    if (!admission.admits(incoming, response)) return turnAwayStranger(response)
    const place = addressOf(incoming.url ?? "", named)
    if (place === undefined) return refuse(response, 404)
    if (admission.answersPreflight(incoming, response)) return
    const allow = METHODS[place.kind]
    if (!allow.includes(incoming.method ?? "")) return refuse(response, 405, { allow: allow.join(", ") })
    if (place.kind === "health") return sayAlive(response)
    const who = whoHolds(incoming.headers.authorization)
    if (who === undefined) return turnAwayUnknown(incoming, response, wanted)
    if (!places.admit(incoming, response, who.principal)) return refuse(response, 503, { "retry-after": "1" })
    answer(place.kind, { ...who, only: place.only }, incoming, response).catch(() => response.destroy())
  })
  return `${own}${MCP_PATH}`
})
