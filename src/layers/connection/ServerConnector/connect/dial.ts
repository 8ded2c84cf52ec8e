/**
 * From a configured launch to a session with an agreed protocol: which transports are tried in which order, and how often a process
 * is started for it.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { JsonObject } from "../../../../schemas/data/Json.ts"
import type { ConnectError } from "../../../../schemas/connection/ConnectError.ts"
import { HttpFailed } from "../../../../schemas/connection/HttpError.ts"
import type { RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { ServerConfig } from "../../../../schemas/connection/ServerConfig.ts"
import type { Authorizer } from "../../../../services/login/Authorizer.ts"
import type { ContentSanitizer } from "../../../../services/content/ContentSanitizer.ts"
import type { NetworkGuard } from "../../../../services/connection/NetworkGuard.ts"
import type { SecretResolver } from "../../../../services/secret/SecretResolver.ts"
import { agree } from "./agree.ts"
import { toConnectError } from "../rpc/failures.ts"
import type { Agreement } from "./handshake.ts"
import { openHttp } from "../http/http.ts"
import { resolveHttp, resolveStdio } from "./launch.ts"
import type { LaunchMemory } from "./memory.ts"
import type { Guarded } from "../sandbox/guarded.ts"
import type { Session } from "../rpc/Session.ts"
import { openStdio, type StdioHooks } from "../stdio/stdio.ts"

/** HTTP statuses for an SSE client that may mean "this is Streamable HTTP". */
const NOT_SSE = new Set([400, 404, 405, 406, 415])
const USE_HTTP = 'set "transport" to "http" or "auto", or leave it out'
export const NO_ENDPOINT = `its SSE stream names no address for messages: if it speaks Streamable HTTP, ${USE_HTTP}; raise "timeout" if it is only slow`
/** HTTP statuses that mean "this is not Streamable HTTP"; then the older transport is tried. */
const NOT_HERE = new Set([400, 404, 405])

/** One attempt to connect, with the phase that it is in. */
export interface Dialling {
  readonly config: ServerConfig
  readonly key: string
  readonly hooks: StdioHooks
  readonly clientCapabilities: JsonObject
  phase: string
  /** The session that was opened last. */
  session: Session | undefined
}

export interface Dialled {
  readonly session: Session
  readonly agreement: Agreement
}

export interface Means {
  readonly resolver: SecretResolver["Service"]
  readonly sanitizer: ContentSanitizer["Service"]
  readonly guard: NetworkGuard["Service"]
  readonly guarded: Guarded
  /** Without one, servers get the headers of their configuration and no token. */
  readonly authorizer: Authorizer["Service"] | undefined
  readonly memory: LaunchMemory
}

export function lastWords({ session }: Dialling): string {
  return session?.lastWords() ?? ""
}

/** What a server says that does not know `server/discover`, or that was up when the request came. */
const OF_THE_REQUEST =
  /discover|initiali[sz]|json-?rpc|\bmethod|\bhandler\b|handshake|-32[67]\d\d|(?:invalid|unknown|unexpected|unsupported|client) ?(?:message|request)|\bstdio\b|\b(?:running|listening|started|ready)\b/i

/**
 * Whether the last words of a server that ended at `server/discover` say that the request had nothing to do with it: a missing
 * key, a file that is not there. A server that ends without a word leaves that open.
 */
export const endedByItself = (words: string): boolean => words !== "" && !OF_THE_REQUEST.test(words)

/** An attempt that leaves nothing behind when it fails; what succeeds belongs to the caller's Scope. */
const provisional = <A, E, R>(attempt: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* attempt.pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
  })

export const makeDial = ({ authorizer, guard, guarded, memory, resolver, sanitizer }: Means) => {
  const asConnectError = (attempt: Dialling, error: ConnectError | RequestError): ConnectError => {
    const { config, phase, session } = attempt
    return toConnectError(error, {
      server: config.name,
      phase,
      stderr: lastWords(attempt),
      tidy: sanitizer.label,
      lost: session?.peer.lost
    })
  }

  const agreeOn = (attempt: Dialling, session: Session) => {
    attempt.session = session
    return agree(session, {
      choice: attempt.config.protocol,
      clientCapabilities: attempt.clientCapabilities,
      timeoutMs: attempt.config.timeout,
      key: attempt.key,
      memory,
      onPhase: (phase) => {
        attempt.phase = phase
      }
    })
  }

  const dialStdio = Effect.fnUntraced(function* (
    attempt: Dialling,
    launch: Extract<ServerConfig["launch"], { kind: "stdio" }>
  ) {
    const { config, hooks, key } = attempt
    const spec = yield* resolveStdio(config, launch, resolver, guarded)
    const open = openStdio(config.name, spec, hooks)
    const session = yield* open
    const knownToExit = memory.holds(key, "exits")
    const first = yield* Effect.result(agreeOn(attempt, session))
    if (Result.isSuccess(first)) return { session, agreement: first.success }
    if (first.failure._tag !== "ConnectionLost" || config.protocol !== "auto") {
      return yield* asConnectError(attempt, first.failure)
    }
    if (attempt.phase !== "server/discover") {
      memory.note(key, "exits")
      return yield* asConnectError(attempt, first.failure)
    }
    // Some legacy servers exit when they get an unknown request: a second process is started and does not get it. A server that
    // exits for another reason is started again by the next attempt.
    memory.note(key, "legacy")
    if (knownToExit || endedByItself(session.lastWords())) return yield* asConnectError(attempt, first.failure)
    const second = yield* open
    const agreement = yield* agreeOn(attempt, second).pipe(
      Effect.tapErrorTag("ConnectionLost", () => Effect.sync(() => memory.note(key, "exits"))),
      Effect.mapError((error) => asConnectError(attempt, error))
    )
    return { session: second, agreement }
  })

  const dialHttp = Effect.fnUntraced(function* (
    attempt: Dialling,
    launch: Exclude<ServerConfig["launch"], { kind: "stdio" }>
  ) {
    const { config, hooks, key } = attempt
    const resolved = yield* resolveHttp(config, launch, resolver)
    const spec = { ...resolved, authorization: authorizer?.authorization({ config, launch, url: resolved.url }) }
    const dial = (kind: "http" | "sse") =>
      Effect.gen(function* () {
        attempt.phase = "connect"
        const session = yield* openHttp(config.name, { ...spec, kind }, hooks, guard)
        return { session, agreement: yield* agreeOn(attempt, session) }
      })
    if (spec.kind === "sse" || memory.holds(key, "sse")) {
      return yield* provisional(dial("sse")).pipe(
        Effect.catchTag("HttpFailed", (error) =>
          spec.kind === "sse" && error.status !== null && NOT_SSE.has(error.status)
            ? Effect.flatMap(Effect.exit(Effect.scoped(dial("http"))), ({ _tag }) =>
                Effect.fail(_tag === "Success" ? speaksHttp(config.name, error.status) : error)
              )
            : Effect.fail(error)
        ),
        Effect.tapError(() => Effect.sync(() => memory.forget(key))),
        Effect.mapError((error) => asConnectError(attempt, error))
      )
    }
    return yield* provisional(dial("http")).pipe(
      Effect.catchTag("HttpFailed", (error) =>
        error.status === null || !NOT_HERE.has(error.status)
          ? Effect.fail(error)
          : dial("sse").pipe(
              Effect.tap(() => Effect.sync(() => memory.note(key, "sse"))),
              // If neither transport works, the first error says more.
              Effect.mapError((second) => (second._tag === "HttpFailed" ? error : second))
            )
      ),
      Effect.mapError((error) => asConnectError(attempt, error))
    )
  })

  return {
    asConnectError,
    dial: (attempt: Dialling): Effect.Effect<Dialled, ConnectError, Scope.Scope> => {
      const { launch } = attempt.config
      return launch.kind === "stdio" ? dialStdio(attempt, launch) : dialHttp(attempt, launch)
    }
  }
}

function speaksHttp(server: string, status: number | null) {
  const detail = `this address speaks Streamable HTTP and not SSE: ${USE_HTTP}`
  return new HttpFailed({ server, status, detail, isOurs: true })
}
