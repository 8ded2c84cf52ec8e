/**
 * Opens connections to MCP servers: secrets, transport, protocol era, handshake, discovery, in this order, whole or not
 * at all, within one deadline. What was opened belongs to the caller's Scope.
 */
import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { STDERR_LINES_PER_SECOND } from "../schemas/Defaults.ts"
import { ConnectTimeout, HandshakeFailed, type ConnectError, type RequestError } from "../schemas/McpError.ts"
import { isObject } from "../schemas/Json.ts"
import { fingerprint, type ServerConfig } from "../schemas/ServerConfig.ts"
import { ContentSanitizer } from "../services/ContentSanitizer.ts"
import { SecretResolver } from "../services/SecretResolver.ts"
import { ServerConnector, type RequestOptions, type ServerConnection } from "../services/ServerConnector.ts"
import { agree, EraMemory } from "./ServerConnector/agree.ts"
import { discover } from "./ServerConnector/discovery.ts"
import type { Agreement } from "./ServerConnector/handshake.ts"
import { openHttp } from "./ServerConnector/http.ts"
import { resolveHttp, resolveStdio } from "./ServerConnector/launch.ts"
import { request, type Session } from "./ServerConnector/Session.ts"
import { openStdio, type StdioHooks } from "./ServerConnector/stdio.ts"
import { throttled } from "./ServerConnector/throttled.ts"

const DETAIL_CHARS = 300
const PING_TIMEOUT_MS = 10_000
/** HTTP answers that mean "no Streamable HTTP here", after which the older transport is tried. */
const NOT_HERE = new Set([400, 404, 405])

/** One attempt to connect: what it waits for, and what it tells the rest of the runtime. */
interface Attempt {
  readonly config: ServerConfig
  readonly key: string
  readonly hooks: StdioHooks
  phase: string
  lastWords: () => string
  listChanged: () => void
  /** Told of a change before anybody listened. */
  changedEarly: boolean
}

const make = Effect.gen(function* () {
  const resolver = yield* SecretResolver
  const sanitizer = yield* ContentSanitizer
  const memory = new EraMemory()
  const fork = Effect.runForkWith(yield* Effect.context())

  const makeAttempt = (config: ServerConfig): Attempt => {
    const { name } = config
    const tidy = sanitizer.label
    const log = throttled(STDERR_LINES_PER_SECOND, (line) => fork(Effect.logDebug(line)))
    const attempt: Attempt = {
      config,
      key: fingerprint(config),
      phase: "start",
      lastWords: () => "",
      listChanged: () => {
        attempt.changedEarly = true
      },
      changedEarly: false,
      hooks: {
        tidy,
        onStderr: (line) => fork(Effect.logWarning(`[${name}] ${tidy(line, 2000)}`)),
        onOddity: (what) => log(`[${name}] ignored ${tidy(what, DETAIL_CHARS)}`),
        onNotification: (method, params) => {
          if (method.endsWith("/list_changed")) attempt.listChanged()
          else if (method === "notifications/message") {
            const data = typeof params["data"] === "string" ? params["data"] : (JSON.stringify(params["data"]) ?? "")
            const level = typeof params["level"] === "string" ? params["level"] : "log"
            log(`[${name}] ${tidy(level, 20)}: ${tidy(data, 2000)}`)
          }
        }
      }
    }
    return attempt
  }

  // ---- one session ---------------------------------------------------------------------------------------------------

  const agreeOn = (attempt: Attempt, session: Session) => {
    attempt.lastWords = session.lastWords
    return agree(session, {
      choice: attempt.config.protocol,
      timeoutMs: attempt.config.timeout,
      key: attempt.key,
      memory,
      onPhase: (phase) => {
        attempt.phase = phase
      }
    })
  }

  const dialStdio = Effect.fnUntraced(function* (
    attempt: Attempt,
    launch: Extract<ServerConfig["launch"], { kind: "stdio" }>
  ) {
    const { config, hooks, key } = attempt
    const spec = yield* resolveStdio(config, launch, resolver.resolve)
    const open = openStdio(config.name, spec, hooks)
    const session = yield* open
    const first = yield* Effect.result(agreeOn(attempt, session))
    if (Result.isSuccess(first)) return { session, agreement: first.success }
    if (first.failure._tag !== "ConnectionLost" || attempt.phase !== "server/discover" || config.protocol !== "auto") {
      return yield* toConnectError(attempt, first.failure, session)
    }
    // Some legacy servers die of a request they do not know. They get a second process and no such request.
    memory.rememberLegacy(key)
    const second = yield* open
    const agreement = yield* agreeOn(attempt, second).pipe(
      Effect.mapError((error) => toConnectError(attempt, error, second))
    )
    return { session: second, agreement }
  })

  const dialHttp = Effect.fnUntraced(function* (
    attempt: Attempt,
    launch: Exclude<ServerConfig["launch"], { kind: "stdio" }>
  ) {
    const { config, hooks, key } = attempt
    const spec = yield* resolveHttp(config, launch, resolver.resolve)
    const dial = (kind: "http" | "sse") =>
      Effect.gen(function* () {
        attempt.phase = "connect"
        const session = yield* openHttp(config.name, { ...spec, kind }, hooks)
        return { session, agreement: yield* agreeOn(attempt, session) }
      })
    if (spec.kind === "sse" || memory.isSse(key))
      return yield* dial("sse").pipe(Effect.mapError((error) => toConnectError(attempt, error)))
    return yield* dial("http").pipe(
      Effect.catchTag("HttpFailed", (error) =>
        error.status === null || !NOT_HERE.has(error.status)
          ? Effect.fail(error)
          : dial("sse").pipe(
              Effect.tap(() => Effect.sync(() => memory.rememberSse(key))),
              // When neither transport is there, the first answer says more.
              Effect.mapError((second) => (second._tag === "HttpFailed" ? error : second))
            )
      ),
      Effect.mapError((error) => toConnectError(attempt, error))
    )
  })

  const connect = Effect.fnUntraced(function* (
    attempt: Attempt
  ): Effect.fn.Return<ServerConnection, ConnectError, Scope.Scope> {
    const { config } = attempt
    const started = performance.now()
    const { agreement, session } = yield* config.launch.kind === "stdio"
      ? dialStdio(attempt, config.launch)
      : dialHttp(attempt, config.launch)
    listen(session, agreement, () => attempt.listChanged())
    attempt.phase = "tools/list"
    const list = discover(session, agreement.capabilities, { resources: config.resources, timeoutMs: config.timeout })
    const catalogue = yield* list.pipe(Effect.mapError((error) => toConnectError(attempt, error, session)))
    for (const diagnostic of catalogue.diagnostics) {
      yield* Effect.logWarning(`[${config.name}] ${sanitizer.label(diagnostic, DETAIL_CHARS)}`)
    }
    return {
      info: {
        transport: session.transport,
        protocolVersion: agreement.protocolVersion,
        era: agreement.era,
        pid: session.pid,
        connectMs: Math.round(performance.now() - started)
      },
      catalogue,
      request: (method, params, options) => request(session, method, params, options),
      discover: list,
      onListChanged: (listener) => {
        attempt.listChanged = listener
        if (attempt.changedEarly) listener()
      },
      ping: ping(session, agreement),
      closed: session.closed
    }
  })

  return ServerConnector.of({
    open: Effect.fn("ServerConnector.open")(function* (config: ServerConfig) {
      const attempt = makeAttempt(config)
      return yield* connect(attempt).pipe(
        Effect.timeoutOrElse({
          duration: config.timeout,
          orElse: () =>
            Effect.fail(
              new ConnectTimeout({
                server: config.name,
                timeoutMs: config.timeout,
                phase: attempt.phase,
                stderr: attempt.lastWords()
              })
            )
        })
      )
    })
  })

  /** The failure of a request, as the failure of the attempt it belonged to. */
  function toConnectError(attempt: Attempt, error: ConnectError | RequestError, session?: Session): ConnectError {
    const { config, phase } = attempt
    const server = config.name
    const stderr = attempt.lastWords()
    switch (error._tag) {
      case "ConnectionLost":
        return session?.peer.lost?._tag === "ServerExited" ? session.peer.lost : error
      case "ProtocolError": {
        const detail = `${phase} failed: ${sanitizer.label(error.detail, DETAIL_CHARS)}`
        return new HandshakeFailed({ server, detail, stderr })
      }
      case "MessageTooLarge":
        return new HandshakeFailed({ server, detail: `its answer to ${phase} is too large`, stderr })
      case "CallTimeout":
        return new ConnectTimeout({ server, timeoutMs: error.timeoutMs, phase, stderr })
      case "CallCancelled":
        return new HandshakeFailed({ server, detail: `${phase} was cancelled`, stderr })
      default:
        return error
    }
  }
})

const FOREVER: RequestOptions = { idleMs: Number.POSITIVE_INFINITY, totalMs: Number.POSITIVE_INFINITY }
const LISTEN_AGAIN_MS = 1_000

/**
 * A modern server announces changes only to those who ask for them. A stream that ends, as proxies make it, is opened
 * again; what changed in between was not heard, so it counts as a change.
 */
function listen(session: Session, { capabilities, era }: Agreement, changed: () => void) {
  if (era === "legacy") return
  const announces = (list: string) => {
    const capability = capabilities[list]
    return isObject(capability) && capability["listChanged"] === true
  }
  const notifications = {
    ...(announces("tools") ? { toolsListChanged: true } : undefined),
    ...(announces("resources") ? { resourcesListChanged: true } : undefined),
    ...(announces("prompts") ? { promptsListChanged: true } : undefined)
  }
  if (Object.keys(notifications).length === 0) return
  const open = () => {
    session.peer.request("subscriptions/listen", { notifications }, FOREVER, (outcome) => {
      // A server that refuses once would refuse each time.
      if (session.peer.lost !== undefined || (!outcome.ok && outcome.error._tag === "ProtocolError")) return
      setTimeout(() => {
        if (session.peer.lost !== undefined) return
        open()
        changed()
      }, LISTEN_AGAIN_MS).unref()
    })
  }
  open()
}

/** Any answer shows that the server is there, an error as well as a result. */
function ping(session: Session, { era }: Agreement): Effect.Effect<boolean> {
  const method = era === "modern" ? "server/discover" : "ping"
  return request(session, method, {}, { idleMs: PING_TIMEOUT_MS, totalMs: PING_TIMEOUT_MS }).pipe(
    Effect.as(true),
    Effect.catchTag("ProtocolError", () => Effect.succeed(true)),
    Effect.orElseSucceed(() => false)
  )
}

export const layer: Layer.Layer<ServerConnector, never, SecretResolver | ContentSanitizer> = Layer.effect(
  ServerConnector,
  make
)
