/**
 * The sessions of one client that are open or being opened: what the client brought is read, they are started and stopped, and their
 * number and what was given to them are bounded.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { stat } from "node:fs/promises"
import type { Conversation } from "../../schemas/agent/Conversation.ts"
import { ACP_OPENED_WITH_MAX_BYTES, ACP_PROCESSES_WARNED, ACP_SESSIONS_MAX } from "../../schemas/defaults/Acp.ts"
import { weightOf } from "../../schemas/connection/Weight.ts"
import type { Brought } from "./brought.ts"
import { readClientServers, readDirectory } from "./clientServers.ts"
import { failed, invalid } from "./failure.ts"
import type { Services } from "./services.ts"
import { openSession, type Session } from "./session.ts"
import { readSessionMeta } from "./sessionMeta.ts"
import * as Settings from "./settings.ts"

/** A request as the client sent it, not checked yet. */
export interface Asked {
  readonly cwd: unknown
  readonly mcpServers: unknown
  /** Its `_meta`. */
  readonly meta: unknown
}

export interface Open {
  /** The number of programs that its client brought. */
  readonly processes: number
  readonly session: Session
  /** The request that opened it, in order to open it again. */
  readonly asked: Asked
}

/** Length of the part that distinguishes the calls of one opening from those of another. */
const CALLS_CHARS = 8

const isDirectory = (path: string): Effect.Effect<boolean> =>
  Effect.orElseSucceed(
    Effect.tryPromise(async () => (await stat(path)).isDirectory()),
    () => false
  )

const processesOf = ({ servers }: Pick<Brought, "servers">) =>
  servers.filter(({ launch }) => launch.kind === "stdio").length

export const makeOpenSessions = Effect.fnUntraced(function* (services: Services, newId: () => string) {
  const { gateway } = services
  const scope = yield* Effect.scope
  const open = new Map<string, Open>()
  /** The sessions that are open or being opened, with the size of their requests, which are kept. */
  const places = new Map<string, number>()
  yield* Effect.addFinalizer(() =>
    // If their turns end later, that releases them.
    Effect.forEach([...places.keys()], (sessionId) => gateway.release(sessionId), {
      concurrency: "unbounded",
      discard: true
    })
  )

  const read = ({ cwd, mcpServers, meta }: Asked, agent: string) =>
    Effect.fromResult(
      Result.flatMap(readDirectory(cwd), (directory) =>
        Result.map(
          readClientServers(mcpServers, {
            cwd: directory,
            limits: services.acp,
            taken: services.agents.get(agent) ?? []
          }),
          (brought) => ({ cwd: directory, agent, dynamicTools: readSessionMeta(meta).dynamicTools, ...brought })
        )
      )
    ).pipe(Effect.mapError(invalid))

  /** A wrong directory is an error only if it can be checked here: a remote agent may run on another machine. */
  const checkDirectory = Effect.fnUntraced(function* (
    { cwd, servers }: Effect.Success<ReturnType<typeof read>>,
    always: boolean
  ) {
    const isUsed = processesOf({ servers }) > 0
    if (!isUsed && !(always && gateway.elsewhere !== true)) return
    if (!(yield* isDirectory(cwd))) return yield* invalid("cwd must be an existing directory")
  })

  /** The session keeps its place. */
  const end = (sessionId: string) =>
    Effect.suspend(() => {
      const found = open.get(sessionId)
      open.delete(sessionId)
      return found === undefined ? Effect.void : found.session.close
    })

  const stop = (sessionId: string) =>
    Effect.suspend(() => {
      places.delete(sessionId)
      return end(sessionId)
    })

  /** Stops it, and another process may open it. */
  const leave = (sessionId: string) =>
    Effect.andThen(Effect.uninterruptible(stop(sessionId)), gateway.release(sessionId))

  const start = Effect.fnUntraced(function* (
    sessionId: string,
    asked: Asked,
    brought: Effect.Success<ReturnType<typeof read>>,
    before: Conversation | undefined
  ) {
    // Checked before anything slow, because many requests may come at once.
    if (places.size >= ACP_SESSIONS_MAX && !places.has(sessionId)) {
      return yield* failed(`${ACP_SESSIONS_MAX} sessions are open, which is the maximum: close one first`)
    }
    const [weight, others] = [
      weightOf(asked),
      [...places].reduce((sum, [id, one]) => (id === sessionId ? sum : sum + one), 0)
    ]
    if (weight + others > ACP_OPENED_WITH_MAX_BYTES) {
      return yield* failed(
        `what open sessions were given (mcpServers, _meta) may have ${ACP_OPENED_WITH_MAX_BYTES} bytes together, and this is more: close one first`
      )
    }
    places.set(sessionId, weight)
    // Keeps the choices that were made for it.
    const last = open.get(sessionId)?.session
    const mode = last?.settings().mode ?? Settings.DEFAULT_MODE
    // The client may know calls of an earlier opening, which are other calls.
    const calls = last === undefined && before === undefined ? "" : `${newId().slice(0, CALLS_CHARS)}-`
    const opening = Effect.gen(function* () {
      yield* end(sessionId)
      yield* gateway.begin(sessionId, { cwd: brought.cwd, agent: brought.agent })
      return yield* openSession(
        { sessionId, mode, ...brought, turns: before?.turns.length ?? 0, calls, title: before?.title },
        services
      ).pipe(Scope.provide(scope))
    })
    const session = yield* opening.pipe(
      Effect.catchTag("GatewayError", ({ message }) => failed(message)),
      Effect.onError(() => leave(sessionId))
    )
    const processes = processesOf(brought)
    open.set(sessionId, { session, asked, processes })
    const all = [...open.values()].reduce((sum, one) => sum + one.processes, 0)
    if (processes > 0 && all >= ACP_PROCESSES_WARNED) {
      yield* Effect.logWarning(
        `editors' sessions run ${all} MCP servers as programs on this machine (acp.maxServers, acp.stdio)`
      )
    }
    return session
  })

  return { find: (sessionId: string) => open.get(sessionId), read, checkDirectory, start, stop, leave }
})
