/**
 * Opens connections to MCP servers: secrets, transport, protocol revision, handshake, discovery, in this order, completely or not
 * at all, within one deadline. A connection belongs to the caller's Scope.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { whoseOf } from "../../schemas/connection/Isolation.ts"
import { offeredBy, type Catalogue } from "../../schemas/connection/Catalogue.ts"
import { DIAGNOSTICS_LOGGED_MAX } from "../../schemas/defaults/HostRequests.ts"
import type { ListRoom } from "../../schemas/connection/ListRoom.ts"
import { isObject } from "../../schemas/data/Json.ts"
import { ConnectTimeout, type ConnectError } from "../../schemas/connection/ConnectError.ts"
import type { RequestError } from "../../schemas/connection/RequestError.ts"
import { ownerOf, type ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import { forSession } from "./ServerConnector/rpc/sessionHints.ts"
import { Authorizer } from "../../services/login/Authorizer.ts"
import { ContentSanitizer } from "../../services/content/ContentSanitizer.ts"
import { HostFeatures } from "../../services/content/HostFeatures.ts"
import { NetworkGuard } from "../../services/connection/NetworkGuard.ts"
import { SecretResolver } from "../../services/secret/SecretResolver.ts"
import { ServerConnector, type ServerConnection } from "../../services/connection/ServerConnector.ts"
import { ServerLogs } from "../../services/connection/ServerLogs.ts"
import { Telemetry } from "../../services/telemetry/Telemetry.ts"
import { EventLoop } from "../../system/EventLoop.ts"
import { makeListRooms } from "../../system/listRooms.ts"
import { following } from "../../system/rounds.ts"
import { lastWords, makeDial, NO_ENDPOINT, type Dialling } from "./ServerConnector/connect/dial.ts"
import { discover, listTools } from "./ServerConnector/connect/discovery.ts"
import { withFreshHeaders } from "./ServerConnector/http/freshHeaders.ts"
import type { Agreement } from "./ServerConnector/connect/handshake.ts"
import { makeDeadlines } from "./ServerConnector/rpc/deadlines.ts"
import { makeNotifications, type Notifications } from "./ServerConnector/rpc/notifications.ts"
import { makeAnswer, makeOnRequest, type Answer } from "./ServerConnector/rpc/hostAnswers.ts"
import { launchKey, makeLaunchMemory } from "./ServerConnector/connect/memory.ts"
import { renewing, type Live } from "./ServerConnector/http/renewing.ts"
import { makeModernRequest } from "./ServerConnector/rpc/multiRoundTrip.ts"
import { withFetchingHint } from "./ServerConnector/sandbox/fetching.ts"
import { guardedOf, type GuardOptions } from "./ServerConnector/sandbox/guarded.ts"
import { request, type Session } from "./ServerConnector/rpc/Session.ts"
import { tellSession } from "./ServerConnector/rpc/observed.ts"
import { followLists, makeWatch, type Subscriber } from "./ServerConnector/rpc/subscriptions.ts"
import { makeTaskRequest, takesTasks } from "./ServerConnector/rpc/tasks.ts"
import type { Tidy } from "./ServerConnector/rpc/tidy.ts"

const DETAIL_CHARS = 300
const PING_TIMEOUT_MS = 10_000
type Send = ServerConnection["request"]

/** One attempt to connect. */
interface Attempt extends Dialling {
  readonly incoming: Notifications
  readonly answer: Answer
  readonly room: ListRoom
}

/** How servers are connected to. */
export interface Options extends GuardOptions {
  /** The directory that remembers how each server was reached. Without it, this process alone remembers. */
  readonly memory?: string | undefined
}

const make = Effect.fnUntraced(function* (options: Options) {
  const guarded = guardedOf(options)
  const resolver = yield* SecretResolver
  const sanitizer = yield* ContentSanitizer
  const host = yield* HostFeatures
  const guard = yield* NetworkGuard
  // Without one, servers get the headers of their configuration and no token.
  const authorizer = Option.getOrUndefined(yield* Effect.serviceOption(Authorizer))
  const logs = Option.getOrUndefined(yield* Effect.serviceOption(ServerLogs))
  const telemetry = yield* Telemetry
  const memory = yield* makeLaunchMemory(options.memory)
  const { asConnectError, dial } = makeDial({ resolver, sanitizer, guard, guarded, authorizer, memory })
  const deadlines = yield* makeDeadlines
  const loop = yield* EventLoop
  const scope = yield* Effect.scope
  // Messages and lines of stderr arrive in plain callbacks, which log.
  const fork = Effect.runForkWith(yield* Effect.context())
  const tidy: Tidy = Object.assign((text: string, maxChars: number) => sanitizer.label(text, maxChars), {
    findingsIn: (text: string) => sanitizer.clean(text).findings
  })

  const makeAttempt = Effect.fnUntraced(function* (
    config: ServerConfig,
    room: ListRoom
  ): Effect.fn.Return<Attempt, never, Scope.Scope> {
    const incoming = makeNotifications(config.name, tidy, fork, {
      heard: (message) => host.heard?.(config, message),
      logs,
      whose: whoseOf(config)
    })
    const answer = makeAnswer(host, config)
    // Answers of the host end with the connection; requests for them arrive in a plain callback.
    const forkAnswer = yield* FiberSet.makeRuntime<never>()
    return {
      config,
      key: launchKey(config),
      incoming,
      hooks: { ...incoming.hooks, deadlines, loop, telemetry, onRequest: makeOnRequest(answer, forkAnswer) },
      answer,
      clientCapabilities: host.capabilities(config),
      room,
      phase: "start",
      session: undefined
    }
  })

  // ---- one connection ------------------------------------------------------------------------------------------------

  /** Lists everything, and logs what was left out of the lists, each line once. */
  const makeDiscover = (
    { clientCapabilities, config, room }: Attempt,
    session: Session,
    { capabilities, instructions }: Agreement
  ) => {
    let known: ReadonlySet<string> = new Set()
    const host = offeredBy(clientCapabilities)
    const complain = (line: string) => Effect.logWarning(`[${config.name}] ${sanitizer.label(line, DETAIL_CHARS)}`)
    const report = ({ diagnostics }: Catalogue) => {
      const fresh = diagnostics.filter((diagnostic) => !known.has(diagnostic))
      known = new Set(diagnostics)
      const more = fresh.length - DIAGNOSTICS_LOGGED_MAX
      return Effect.andThen(
        Effect.forEach(fresh.slice(0, DIAGNOSTICS_LOGGED_MAX), complain, { discard: true }),
        more > 0 ? complain(`and ${more} more like these`) : Effect.void
      )
    }
    return discover(session, capabilities, { resources: config.resources, timeoutMs: config.timeout, room }).pipe(
      Effect.map((catalogue): Catalogue => ({
        ...catalogue,
        ...(instructions === undefined ? {} : { instructions }),
        ...(host === "" ? {} : { host })
      })),
      Effect.tap(report)
    )
  }

  /** The way to send requests is chosen once per connection, so that no request pays for features that its server lacks. */
  const makeRequest = (
    { answer, config, incoming }: Attempt,
    session: Session,
    { capabilities, era }: Agreement
  ): Send => {
    if (era === "modern") {
      const relist = Effect.tap(listTools(session, config.timeout), () =>
        Effect.sync(() => incoming.emit({ _tag: "ListChanged" }))
      )
      const around = session.decodeTool === undefined ? undefined : (send: Send) => withFreshHeaders(send, relist)
      return makeModernRequest(session, answer, around)
    }
    return takesTasks(capabilities)
      ? makeTaskRequest(session)
      : (method, params, options) => request(session, method, params, options)
  }

  const tellRoots = ({ clientCapabilities }: Attempt, session: Session, { era }: Agreement) => {
    const roots = clientCapabilities["roots"]
    if (era === "modern" || !isObject(roots) || roots["listChanged"] !== true) return Effect.void
    const tell = Effect.sync(() => session.peer.notify("notifications/roots/list_changed"))
    return following(`telling '${session.server}' of other folders`, host.rootsChanged, () => tell).pipe(
      Effect.forkScoped({ startImmediately: true })
    )
  }

  /** A session with its requests, lists and subscriptions. */
  const attach = Effect.fnUntraced(function* (attempt: Attempt): Effect.fn.Return<Live, ConnectError, Scope.Scope> {
    const { config, incoming } = attempt
    const { agreement, session } = yield* dial(attempt)
    const { protocolVersion } = agreement
    session.peer.revision = protocolVersion
    yield* tellSession(telemetry, session.peer, {
      transport: session.transport,
      protocolVersion,
      server: config.name
    })
    const subscriber: Subscriber = { session, agreement, incoming, timeoutMs: config.timeout }
    yield* followLists(subscriber)
    yield* tellRoots(attempt, session, agreement)
    attempt.phase = "tools/list"
    return {
      info: {
        transport: session.transport,
        protocolVersion: agreement.protocolVersion,
        era: agreement.era,
        pid: session.pid,
        connectMs: 0,
        about: agreement.about
      },
      request: makeRequest(attempt, session, agreement),
      discover: makeDiscover(attempt, session, agreement),
      watchResources: makeWatch(subscriber, yield* Effect.scope),
      ping: ping(session, agreement),
      closed: session.closed
    }
  })

  /** Only an HTTP session of the older revisions can be lost while its server keeps running. */
  const makeLive = (attempt: Attempt) =>
    attempt.config.launch.kind === "stdio" || attempt.config.protocol === "2026-07-28"
      ? attach(attempt)
      : renewing(attach(attempt), {
          timeoutMs: attempt.config.timeout,
          onRenewed: (watched) => {
            attempt.incoming.emit({ _tag: "ListChanged" })
            for (const uri of watched) attempt.incoming.emit({ _tag: "ResourceUpdated", uri })
          }
        })

  const connect = Effect.fnUntraced(function* (
    attempt: Attempt
  ): Effect.fn.Return<ServerConnection, ConnectError, Scope.Scope> {
    const started = performance.now()
    const live = yield* makeLive(attempt)
    const catalogue = yield* live.discover.pipe(Effect.mapError((error) => asConnectError(attempt, error)))
    return {
      ...live,
      info: { ...live.info, connectMs: Math.round(performance.now() - started) },
      catalogue,
      onEvent: attempt.incoming.onEvent,
      watchResources: catalogue.offers.subscriptions ? live.watchResources : () => Effect.void
    }
  })

  return ServerConnector.of({
    mended: (config, cause) =>
      authorizer !== undefined && cause._tag === "AuthRequired" && cause.remedy === "login"
        ? authorizer.loggedIn(config)
        : Effect.never,
    open: Effect.fn("ServerConnector.open")(function* (config: ServerConfig, room?: ListRoom) {
      const attempt = yield* makeAttempt(config, room ?? (yield* makeListRooms()))
      yield* memory.load
      return yield* connect(attempt).pipe(
        Effect.timeoutOrElse({
          duration: config.timeout,
          orElse: () => {
            memory.forget(attempt.key)
            return Effect.fail(
              new ConnectTimeout({
                server: config.name,
                timeoutMs: config.timeout,
                phase: attempt.phase,
                stderr: lastWords(attempt),
                ...(config.launch.kind === "sse" && attempt.phase === "connect" ? { hint: NO_ENDPOINT } : {})
              })
            )
          }
        }),
        // In the background: no connection waits for a file.
        Effect.ensuring(Effect.forkIn(memory.save, scope)),
        Effect.mapError((error) => hinted(config, withFetchingHint(config, error))),
        Effect.map((connection) => withHints(config, connection)),
        // The secret may have changed at its provider.
        Effect.tapErrorTag("AuthRequired", () => resolver.forget(ownerOf(config)))
      )
    })
  })
})

/** Adds hints for the reader of the error. */
function hinted<E extends ConnectError | RequestError>({ session }: ServerConfig, error: E): E {
  return session === undefined ? error : forSession(error)
}

function withHints({ session }: ServerConfig, connection: ServerConnection): ServerConnection {
  if (session === undefined) return connection
  return {
    ...connection,
    request: (method, params, options) => Effect.mapError(connection.request(method, params, options), forSession)
  }
}

/** Any answer shows that the server is alive, an error as well as a result. */
function ping(session: Session, { era }: Agreement): Effect.Effect<boolean> {
  const method = era === "modern" ? "server/discover" : "ping"
  return request(session, method, {}, { idleMs: PING_TIMEOUT_MS, totalMs: PING_TIMEOUT_MS }).pipe(
    Effect.as(true),
    Effect.catchTag("ProtocolError", () => Effect.succeed(true)),
    Effect.orElseSucceed(() => false)
  )
}

type Needs = SecretResolver | ContentSanitizer | HostFeatures | NetworkGuard

/** With the files and directories that sandboxed servers must not change. */
export const layerGuarding = (options: Options): Layer.Layer<ServerConnector, never, Needs> =>
  Layer.effect(ServerConnector, make(options))

/** For configurations that are not in a file. */
export const layer: Layer.Layer<ServerConnector, never, Needs> = layerGuarding({})
