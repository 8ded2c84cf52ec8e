/**
 * Listens over HTTP. Who sends a request is checked before what it says: the Host, because a false name may lead a browser here; the
 * Origin, which a page has; and the token. Then clients with sessions and clients without sessions have listeners of their own.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import { LISTENER_HEAD_MS } from "../../../../schemas/defaults/Listener.ts"
import { isSameNode } from "../../../../schemas/fleet/Node.ts"
import { ListenFailed } from "../../../../schemas/listener/ListenerError.ts"
import type { Label } from "../../../../schemas/content/ServerText.ts"
import type { HttpOptions, Serve } from "../../../../services/listener/McpListener.ts"
import { SessionDirectory } from "../../../../services/listener/SessionDirectory.ts"
import type { Places } from "../../../../system/connectionPlaces.ts"
import { Telemetry } from "../../../../services/telemetry/Telemetry.ts"
import { EventLoop } from "../../../../system/EventLoop.ts"
import { framingFault, listenAt, LOOPBACK, refuse } from "../../../../system/httpServer.ts"
import { hostAt } from "../../../../system/ownHosts.ts"
import { following } from "../../../../system/rounds.ts"
import { makeClientQuotas, type ClientQuota } from "../requests/ClientQuota.ts"
import { CALLS } from "../requests/intake.ts"
import { loadSdk, routeOf, type InboundModernRoute } from "../requests/sdk.ts"
import { ISSUER_CLIENTS_ROOM } from "../../../../schemas/defaults/Clients.ts"
import { RATE_REQUEST_BYTES } from "../../../../schemas/defaults/LargeWork.ts"
import { INVALID_PARAMS } from "../requests/refusals.ts"
import { idOf, sizeFault, withRefusals } from "../requests/shapes.ts"
import { addressOf, MCP_PATH, methodsOf, type Address } from "./addresses.ts"
import { makeRuled } from "./ruled.ts"
import { makeAdmission } from "./admission.ts"
import { Elsewhere, returnedIn } from "./elsewhere/Elsewhere.ts"
import { takePart } from "./elsewhere/takePart.ts"
import { Exchange } from "./Exchange.ts"
import { readiness, sayAlive, sayReady } from "./health.ts"
import { errorAnswer, makeReadBody, type Said } from "./httpMessages.ts"
import { makeLogins } from "./logins.ts"
import { Principals } from "./Principals.ts"
import { EventStreams, refuseBody, say } from "./responses.ts"
import { unsupportedMedia } from "./legacyFaults.ts"
import { isInitialize, Sessions, streamNamed } from "./Sessions.ts"
import type { Common } from "./sessionServer.ts"
import { Revoked } from "./Revoked.ts"
import { makeRecognize } from "./recognize.ts"
import { makeTokens, type Bringing, type Who } from "./tokens.ts"
import { takeUpgrades } from "./upgrades.ts"
import { turnAwayForbidden, turnAwayStranger, turnAwayUnknown } from "./turnAway.ts"
import { makeUnknownNames } from "./unknownNames.ts"

export const listenHttp = Effect.fnUntraced(function* (
  serve: Serve,
  {
    address = LOOPBACK,
    admits,
    health,
    hosts,
    intake = CALLS,
    logins: given,
    named = false,
    origins,
    pages,
    port: asked,
    revoked: revocations = Stream.empty,
    sessions: hasSessions = true,
    tokens,
    whichToken: wanted = "the token of this client"
  }: HttpOptions,
  label: Label,
  places: Places
): Effect.fn.Return<string, ListenFailed, Scope.Scope> {
  const sdk = yield* loadSdk
  const { current: directory } = yield* SessionDirectory
  const whoHolds = makeTokens(tokens)
  const holders = makeClientQuotas(
    tokens.map(({ principal }) => principal),
    intake,
    (yield* EventLoop).large,
    given === undefined ? 0 : ISSUER_CLIENTS_ROOM
  )
  const { port, server } = yield* listenAt({
    address,
    port: asked,
    places,
    headMs: LISTENER_HEAD_MS,
    receiveMs: intake.receiveMs,
    recognize: makeRecognize(whoHolds, holders, given?.verifier)
  }).pipe(
    Effect.mapError(
      (reason) =>
        new ListenFailed({
          detail: `port ${asked} of ${address === LOOPBACK ? "this machine" : address} ${reason.message}`
        })
    )
  )
  const scope = yield* Effect.scope
  const run = yield* FiberSet.makeRuntime()
  const own = `http://${hostAt(address)}:${port}`
  const admission = makeAdmission({
    port,
    hosts: hosts ?? [],
    origins: [...(origins ?? []), ...(pages === undefined ? [] : [pages.origin])],
    ...makeUnknownNames(run, label, { hosts, origins })
  })
  const readBody = makeReadBody(intake)
  const quotaOf = ({ principal }: Who): ClientQuota => holders.of(principal)
  const open = new EventStreams(run)
  const common: Common = {
    sdk,
    serve,
    label,
    scope,
    run,
    quotaOf,
    open,
    clock: yield* Clock.Clock,
    telemetry: yield* Telemetry,
    directory
  }
  const sessions = new Sessions({ ...common, holders: holders.expected })
  const principals = new Principals(common)
  const kept = () => [...sessions.kept, ...principals.kept]
  const revoked = new Revoked(kept)
  yield* Effect.forkScoped(
    following("the revocation of tokens", revocations, (now) => Effect.sync(() => revoked.become(now)))
  )
  const fleet = directory === undefined ? undefined : new Elsewhere({ directory, sessions, run })

  /** Where the session is, if this is a node of a fleet. */
  const answerLegacy = (exchange: Exchange, body: unknown): Said => {
    const here = () => sessions.answer(exchange, body)
    if (fleet === undefined) return here()
    const session = exchange.header("mcp-session-id")
    if (session !== undefined) return fleet.atSession(exchange, session, body, here)
    return isInitialize(body) ? fleet.atStart(exchange, body, here) : here()
  }

  /** Where the call or the task is that the client comes back for. */
  const answerModern = (exchange: Exchange, route: InboundModernRoute, body: unknown): Said => {
    const here = () => principals.answer(exchange, route)
    const name = fleet === undefined ? undefined : returnedIn(route.message)
    return fleet === undefined || name === undefined ? here() : fleet.atCall(exchange, name, body, here)
  }

  const answerStream = (exchange: Exchange): Said => {
    const here = () => sessions.stream(exchange)
    return fleet === undefined ? here() : fleet.atStart(exchange, undefined, here)
  }

  const answerMessage = (exchange: Exchange, body: unknown): Said => {
    const here = () => sessions.say(exchange, body)
    return fleet === undefined ? here() : fleet.atStream(exchange, streamNamed(exchange), body, here)
  }

  /** Clients with sessions, and clients without. */
  const answerAtMcp = (exchange: Exchange, body: unknown): Said => {
    const route = routeOf(sdk, exchange, body)
    switch (route.kind) {
      case "legacy":
        return hasSessions ? answerLegacy(exchange, body) : principals.answerLegacy(exchange, body)
      case "modern":
        return sdk.isJsonContentType(exchange.header("content-type"))
          ? answerModern(exchange, route, body)
          : unsupportedMedia()
      case "reject":
        return errorAnswer(route.httpStatus, route.code, route.message, idOf(body), {}, route.data)
    }
  }

  const answerBody = (kind: Address["kind"], exchange: Exchange, received: unknown): Said => {
    const messages: ReadonlyArray<unknown> = Array.isArray(received) ? received : [received]
    for (const message of messages) {
      const fault = sizeFault(message)
      if (fault !== undefined) return errorAnswer(400, INVALID_PARAMS, `Invalid params: ${fault}`, idOf(message))
    }
    const body = withRefusals(received)
    return kind === "messages" ? answerMessage(exchange, body) : answerAtMcp(exchange, body)
  }

  const respond = (exchange: Exchange, said: Said): void => {
    if (Effect.isEffect(said)) {
      run(
        Effect.matchCause(said, {
          onSuccess: (answer) => respond(exchange, answer),
          onFailure: () => void exchange.response.destroy()
        })
      )
    } else if (said !== undefined) say(exchange, said)
  }

  const answer = async (kind: Address["kind"], exchange: Exchange): Promise<void> => {
    sessions.hold(exchange)
    await exchange.holder.pace.arrived(RATE_REQUEST_BYTES)
    if (kind === "sse") return respond(exchange, answerStream(exchange))
    if (exchange.method !== "POST") return respond(exchange, answerAtMcp(exchange, undefined))
    const { incoming } = exchange
    const isToCome = !incoming.complete
    if (isToCome) incoming.setTimeout(intake.silentMs, () => incoming.destroy())
    const received = await readBody(incoming, exchange.holder, exchange.whenOver)
    if (isToCome) incoming.setTimeout(0)
    if ("refused" in received) refuseBody(exchange, received.refused)
    else respond(exchange, answerBody(kind, exchange, received.value))
  }

  const logins =
    given === undefined ? undefined : makeLogins(given, run, label, () => common.clock.currentTimeMillisUnsafe())

  const ruled = makeRuled(admits, run, label, () => common.clock.currentTimeMillisUnsafe(), kept)

  const enter = (
    { kind, only }: Address,
    incoming: IncomingMessage,
    response: ServerResponse,
    { bearer, ...said }: Bringing
  ): void => {
    const who = ruled.admitted(said)
    if (who === undefined) return turnAwayForbidden(response)
    const holder = quotaOf(who)
    const isAdmitted = places.admit(incoming, response, who.principal, holder.pace.rate)
    if (!isAdmitted) return refuse(response, 503, { "retry-after": "1" })
    const exchange = new Exchange({ who: { ...who, only }, incoming, response, holder, run, bearer })
    if (holder.isFull) return refuse(response, 503, { "retry-after": "1" })
    revoked.note(who.principal, response)
    ruled.note(said, response)
    // A load balancer has to come by another connection, and to another node.
    if (directory?.isDraining() === true) response.shouldKeepAlive = false
    answer(kind, exchange).catch(() => response.destroy())
  }

  /** A page of another node is answered there. */
  const answersPage = (incoming: IncomingMessage, response: ServerResponse): boolean => {
    const name = directory === undefined ? undefined : pages?.nameIn(incoming)
    const home = name === undefined ? undefined : directory?.homeOf(name)
    if (directory === undefined || fleet === undefined || home === undefined || isSameNode(home, directory.self)) {
      return pages?.answers(incoming, response) === true
    }
    fleet.page(incoming, response, home, pages?.passedCookies ?? [])
    return true
  }

  server.on("request", (incoming: IncomingMessage, response: ServerResponse) => {
    const fault = framingFault(incoming)
    if (fault !== undefined) return refuse(response, fault)
    if (!admission.admits(incoming, response)) return turnAwayStranger(response)
    // Of every address: a browser asks that way for the metadata, too.
    if (admission.answersPreflight(incoming, response)) return
    if (logins?.answersMetadata(incoming, response) === true) return
    if (answersPage(incoming, response)) return
    const place = addressOf(incoming.url ?? "", named, health)
    if (place === undefined) return refuse(response, 404)
    const allow = methodsOf(place, hasSessions)
    if (!allow.includes(incoming.method ?? "")) return refuse(response, 405, { allow: allow.join(", ") })
    if (place.kind === "health") return sayAlive(response)
    if (place.kind === "ready") return sayReady(response, readiness(directory, sessions.isFull))
    const who = whoHolds(incoming.headers.authorization, incoming.socket)
    if (who !== undefined && !revoked.has(who.principal)) return enter(place, incoming, response, who)
    if (logins === undefined) return turnAwayUnknown(incoming, response, wanted)
    logins.admit(
      incoming,
      response,
      (known) => enter(place, incoming, response, known),
      tokens.length > 0 ? wanted : ""
    )
  })
  takeUpgrades(server, { pages, places, isOurs: admission.isOurs })
  if (directory !== undefined && fleet !== undefined) {
    const agents = new Map(tokens.map(({ agent, principal }) => [principal, agent]))
    yield* takePart({
      directory,
      fleet,
      sessions,
      principals,
      page: (incoming, response) => {
        if (pages?.answers(incoming, response) !== true) refuse(response, 404)
      },
      take: (incoming, response, passed) => {
        const place = addressOf(incoming.url ?? "", named, health)
        const { agent, identity, principal } = passed.who
        // The nodes have different configurations.
        const isLetIn = identity !== undefined || (agents.has(principal) && !revoked.has(principal))
        if (place === undefined || !isLetIn) return refuse(response, 404)
        revoked.note(principal, response)
        const said = { principal, agent: identity === undefined ? agents.get(principal) : agent, identity }
        const found = ruled.admitted(said)
        if (found === undefined) return turnAwayForbidden(response)
        ruled.note(said, response)
        const { bearer } = passed
        if (identity?.person !== undefined && bearer !== undefined) {
          given?.seen?.(identity.person, Redacted.value(bearer.token) as string, bearer.expiresAt)
        }
        const who = { ...found, only: place.only }
        const holder = quotaOf(who)
        const exchange = new Exchange({ who, incoming, response, holder, run, passed, bearer })
        answer(place.kind, exchange).catch(() => response.destroy())
      }
    })
  }
  return `${own}${MCP_PATH}`
})
