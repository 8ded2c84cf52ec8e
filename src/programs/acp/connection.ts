/**
 * An ACP v1 agent on one connection. The SDK frames, correlates and checks messages; this is the only place where its
 * promises meet our effects. The first answer waits for nothing: what sessions need is loaded after it.
 */
import * as acp from "@agentclientprotocol/sdk"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { ACP_LAST_ANSWERS_MS, ACP_RECEIVING_MAX_BYTES, ACP_REQUESTS_MAX } from "../../schemas/defaults/Acp.ts"
import { isObject } from "../../schemas/data/Json.ts"
import { VERSION } from "../../schemas/data/Version.ts"
import { modesOf } from "./elicitation.ts"
import { ConnectionBroke, INTERNAL_ERROR, INVALID_PARAMS, REQUEST_CANCELLED, type Refused } from "./failure.ts"
import type { AcpClient } from "./services.ts"
import type { Asked } from "./openSessions.ts"
import type { Sessions } from "./sessions.ts"
import type { Tunnel } from "./tunnel.ts"
import { bounded } from "./requestLimit.ts"

/** Makes the sessions for the connected client, in the Scope of the connection. */
export type MakeSessions = (
  client: Omit<AcpClient, "shows" | "words"> & { readonly notices: boolean }
) => Effect.Effect<Sessions, Refused, Scope.Scope>

const CAPABILITIES = {
  loadSession: true,
  mcpCapabilities: { http: true, sse: true },
  promptCapabilities: { image: true, audio: true, embeddedContext: true },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} }
} satisfies acp.AgentCapabilities

/** Adds capabilities that are not part of the protocol yet. */
const withUnstable = (tunnel: Tunnel | undefined): acp.AgentCapabilities =>
  tunnel === undefined
    ? CAPABILITIES
    : { ...CAPABILITIES, mcpCapabilities: { ...CAPABILITIES.mcpCapabilities, acp: true } as acp.McpCapabilities }

const { agent: to, client: from } = acp.methods

interface Located {
  readonly sessionId: string
  readonly asked: Asked
}

const params = (given: unknown): Record<string, unknown> => {
  if (isObject(given)) return given
  throw new acp.RequestError(INVALID_PARAMS, "Invalid params: they must be an object")
}

/** Without the SDK's check, whose error would not name the wrong server. */
const readAsked = (given: unknown): Asked => {
  const { _meta: meta, cwd, mcpServers } = params(given)
  return { cwd, mcpServers, meta }
}

const readLocated = (given: unknown): Located => {
  const { sessionId } = params(given)
  if (typeof sessionId === "string") return { sessionId, asked: readAsked(given) }
  throw new acp.RequestError(INVALID_PARAMS, "Invalid params: sessionId must be a string")
}

/** Without the SDK's check, so that our own error names what is unknown. */
const readChoice = (given: unknown) => {
  const { configId, modeId, value } = params(given)
  return { ...readLocated(given), configId, modeId, value }
}

type AcpUpdates = Pick<AcpClient, "update" | "post" | "askPermission" | "askElicitation">

/** Messages to a client that has disconnected are dropped: the end of the connection is handled elsewhere. */
const clientOf = (client: acp.AgentContext): AcpUpdates => {
  const notify = (sessionId: string, update: acp.SessionUpdate) =>
    client.notify(from.session.update, { sessionId, update }).catch(() => {})
  return {
    update: (sessionId, update) => Effect.promise(() => notify(sessionId, update)),
    post: (sessionId, update) => void notify(sessionId, update),
    askPermission: (request, signal) =>
      Effect.tryPromise((interrupted) =>
        client.request(from.session.requestPermission, request, {
          cancellationSignal: AbortSignal.any([signal, interrupted])
        })
      ),
    askElicitation: (request) =>
      Effect.tryPromise((cancellationSignal) =>
        client.request(from.elicitation.create, request, { cancellationSignal })
      )
  }
}

/** A turn that a signal ends counts as cancelled. */
const cancelled = (error: unknown): acp.PromptResponse => {
  if (error instanceof acp.RequestError && error.code === REQUEST_CANCELLED) return { stopReason: "cancelled" }
  throw error
}

const toRequestError = (cause: Cause.Cause<Refused>): acp.RequestError => {
  const expected = cause.reasons.find(Cause.isFailReason)
  if (expected !== undefined)
    return new acp.RequestError(expected.error.code, expected.error.message, expected.error.data)
  if (Cause.hasInterruptsOnly(cause)) return acp.RequestError.requestCancelled()
  return new acp.RequestError(INTERNAL_ERROR, "Internal error: an unexpected failure on our side, see the log")
}

interface Ready {
  readonly sessions: Sessions
  /** Requests end before the sessions, and all at once: each may wait for its agent, and a client waits a second for all. */
  readonly requests: Scope.Scope
}

/**
 * Runs until the client has disconnected and everything of its sessions is released. Fails when the connection breaks in
 * another way.
 */
export const serve = Effect.fnUntraced(function* (stream: acp.Stream, makeSessions: MakeSessions, tunnel?: Tunnel) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<never>()
  const { answered, isOver, stream: within } = bounded(stream, ACP_REQUESTS_MAX, ACP_RECEIVING_MAX_BYTES)
  const ready = yield* Deferred.make<Ready, Refused>()
  let begun = false

  const ask = async <A>(use: (sessions: Sessions) => Effect.Effect<A, Refused>, signal: AbortSignal): Promise<A> => {
    // Ends with the connection, and when the client cancels the request.
    const inScope = Effect.gen(function* () {
      const { requests, sessions } = yield* Deferred.await(ready)
      // At once: a cancellation that comes right behind a message has to find it.
      const inner = yield* Effect.forkIn(use(sessions), requests, { startImmediately: true })
      return yield* Effect.onInterrupt(Fiber.join(inner), () => Fiber.interrupt(inner))
    })
    const fiber = Effect.runForkWith(context)(inScope, { signal })
    const exit = await Effect.runPromiseWith(context)(Fiber.await(fiber))
    if (Exit.isSuccess(exit)) return exit.value
    const error = toRequestError(exit.cause)
    if (error.code === INTERNAL_ERROR && exit.cause.reasons.every((reason) => !Cause.isFailReason(reason))) {
      Effect.runForkWith(context)(Effect.logError("acp: a request failed unexpectedly", exit.cause))
    }
    throw error
  }

  /** There may be many, and each takes effect at once, so they share no signal. */
  const cancel = (sessionId: string): void => {
    const cancelling = Effect.flatMap(Deferred.await(ready), ({ sessions }) => sessions.cancel(sessionId))
    Effect.runForkWith(context)(Effect.ignore(cancelling))
  }

  /** Servers that the client itself provides become ordinary servers. */
  const adapt = async (client: acp.AgentContext, asked: Asked): Promise<Asked> =>
    tunnel === undefined ? asked : { ...asked, mcpServers: await tunnel.adapt(client, asked.mcpServers) }

  const app = acp
    .agent({ name: "mcp-live" })
    .onRequest(to.initialize, ({ client, params: { clientCapabilities, protocolVersion } }) => {
      // A client that initializes twice gets the same answer and keeps its sessions.
      if (!begun) {
        begun = true
        const notices = isObject(clientCapabilities?.session) && isObject(clientCapabilities.session["notices"])
        const elicits = modesOf(clientCapabilities)
        const made = makeSessions({ ...clientOf(client), notices, elicits }).pipe(
          Effect.flatMap((sessions) =>
            Effect.map(Scope.fork(scope, "parallel"), (requests) => ({ sessions, requests }))
          ),
          Scope.provide(scope),
          Effect.exit,
          Effect.flatMap((exit) => Deferred.done(ready, exit))
        )
        setImmediate(() => Effect.runForkWith(context)(Effect.forkIn(made, scope)))
      }
      return {
        protocolVersion: Math.min(Math.max(protocolVersion, 1), acp.PROTOCOL_VERSION),
        agentCapabilities: withUnstable(tunnel),
        agentInfo: { name: "mcp-live", title: "mcp-live", version: VERSION },
        authMethods: []
      }
    })
    .onRequest(to.session.new, readAsked, async ({ client, params: asked, signal }) => {
      const adapted = await adapt(client, asked)
      return ask((sessions) => sessions.create(adapted), signal)
    })
    .onRequest(to.session.load, readLocated, async ({ client, params: { asked, sessionId }, signal }) => {
      const adapted = await adapt(client, asked)
      return ask((sessions) => sessions.load(sessionId, adapted), signal)
    })
    .onRequest(to.session.resume, readLocated, async ({ client, params: { asked, sessionId }, signal }) => {
      const adapted = await adapt(client, asked)
      return ask((sessions) => sessions.resume(sessionId, adapted), signal)
    })
    .onRequest(to.session.setMode, readChoice, ({ params: { modeId, sessionId }, signal }) =>
      ask((sessions) => Effect.as(sessions.setMode(sessionId, modeId), {}), signal)
    )
    .onRequest(to.session.setConfigOption, readChoice, ({ params: { configId, sessionId, value }, signal }) =>
      ask((sessions) => sessions.setOption(sessionId, configId, value), signal)
    )
    .onRequest(to.session.list, ({ params: filter, signal }) => ask((sessions) => sessions.list(filter), signal))
    .onRequest(to.session.close, ({ params: { sessionId }, signal }) =>
      ask((sessions) => Effect.as(sessions.close(sessionId), {}), signal)
    )
    .onRequest(to.session.delete, ({ params: { sessionId }, signal }) =>
      ask((sessions) => Effect.as(sessions.remove(sessionId), {}), signal)
    )
    .onRequest(to.session.prompt, ({ params: { prompt, sessionId }, signal }) =>
      // The signal ends the turn, which then reports that itself.
      ask((sessions) => sessions.prompt(sessionId, prompt, signal), new AbortController().signal).catch(cancelled)
    )
    .onNotification(to.session.cancel, ({ params: { sessionId } }) => cancel(sessionId))

  if (tunnel !== undefined) {
    app.onNotification(
      tunnel.method,
      (given) => given,
      ({ client, params: given }) => tunnel.notified(client, given)
    )
  }

  const connection = yield* Effect.acquireRelease(
    Effect.sync(() => app.connect(within)),
    (opened) =>
      // A request that a signal has ended is still answered while the client is connected.
      Effect.suspend(() =>
        opened.signal.aborted
          ? Effect.void
          : Effect.asVoid(Effect.timeoutOption(Effect.promise(answered), ACP_LAST_ANSWERS_MS))
      ).pipe(Effect.andThen(Effect.sync(() => opened.close())))
  )
  // Before that, so that requests that wait for the sessions are answered, too.
  yield* Effect.addFinalizer(() => Deferred.interrupt(ready))
  yield* Effect.promise(() => connection.closed)
  if (!isOver()) return yield* new ConnectionBroke({ reason: connection.signal.reason })
})
