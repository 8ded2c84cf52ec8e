/**
 * The open sessions of one client, by id. Requests about one session run one after the other. Opening a session again stops
 * its servers and starts them anew.
 */
import type {
  ContentBlock,
  ListSessionsResponse,
  NewSessionResponse,
  PromptResponse,
  ResumeSessionResponse,
  SetSessionConfigOptionResponse
} from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { readClientServers, readDirectory } from "./clientServers.ts"
import { latestFirst, type Conversation } from "../../schemas/agent/Conversation.ts"
import {
  ACP_LIST_PAGE,
  ACP_OPENED_WITH_MAX_BYTES,
  ACP_PROCESSES_WARNED,
  ACP_SESSIONS_MAX
} from "../../schemas/defaults/Acp.ts"
import { readSessionMeta, type SessionMeta } from "./sessionMeta.ts"
import { weightOf } from "../../schemas/connection/Weight.ts"
import type { Brought } from "./brought.ts"
import { cursorOf, readCursor } from "./cursor.ts"
import { isDirectory } from "./directory.ts"
import { failed, invalid, unknownSession, type Refused } from "./failure.ts"
import { makeLines } from "./sessionQueue.ts"
import { isOursIn, sessionMeant } from "./named.ts"
import type { Services } from "./services.ts"
import { aborted, openSession, type Session } from "./session.ts"
import * as Settings from "./settings.ts"
import { replay } from "./updates.ts"

/** A request as the client sent it, not checked yet. */
export interface Asked {
  readonly cwd: unknown
  readonly mcpServers: unknown
  /** Its `_meta`. */
  readonly meta: unknown
}

export interface Sessions {
  readonly create: (asked: Asked) => Effect.Effect<NewSessionResponse, Refused>
  /** Sends all earlier messages before it returns. */
  readonly load: (sessionId: string, asked: Asked) => Effect.Effect<ResumeSessionResponse, Refused>
  readonly resume: (sessionId: string, asked: Asked) => Effect.Effect<ResumeSessionResponse, Refused>
  readonly setMode: (sessionId: string, modeId: unknown) => Effect.Effect<void, Refused>
  readonly setOption: (
    sessionId: string,
    configId: unknown,
    value: unknown
  ) => Effect.Effect<SetSessionConfigOptionResponse, Refused>
  readonly list: (filter: {
    readonly cwd?: string | null | undefined
    readonly cursor?: string | null | undefined
  }) => Effect.Effect<ListSessionsResponse, Refused>
  /** Closing a session that is not open is no error. */
  readonly close: (sessionId: string) => Effect.Effect<void>
  readonly remove: (sessionId: string) => Effect.Effect<void, Refused>
  readonly prompt: (
    sessionId: string,
    prompt: ReadonlyArray<ContentBlock>,
    signal: AbortSignal
  ) => Effect.Effect<PromptResponse, Refused>
  readonly cancel: (sessionId: string) => Effect.Effect<void>
}

interface Open {
  /** The number of programs that its client brought. */
  readonly processes: number
  readonly session: Session
  /** The request that opened it, in order to open it again. */
  readonly asked: Asked
}

/** Length of the part that distinguishes the calls of one opening from those of another. */
const CALLS_CHARS = 8

const processesOf = ({ servers }: Pick<Brought, "servers">) =>
  servers.filter(({ launch }) => launch.kind === "stdio").length

export const makeSessions = Effect.fnUntraced(function* (
  services: Services,
  newId: () => string
): Effect.fn.Return<Sessions, never, Scope.Scope> {
  const { client, gateway } = services
  const scope = yield* Effect.scope
  const open = new Map<string, Open>()
  /** The sessions that are open or being opened, with the size of their requests, which are kept. */
  const places = new Map<string, number>()
  const { behind, cancel, inTurn } = yield* makeLines
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
      Effect.onError(() => Effect.andThen(stop(sessionId), gateway.release(sessionId)))
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

  const isOurs = isOursIn(services)

  const known = Effect.fnUntraced(function* (sessionId: string) {
    const found = yield* gateway.load(sessionId)
    return found !== undefined && isOurs(found) ? found : yield* unknownSession(sessionId)
  })

  const opened = (sessionId: string): Effect.Effect<Open, Refused> =>
    Effect.suspend(() => {
      const found = open.get(sessionId)
      return found === undefined ? unknownSession(sessionId) : Effect.succeed(found)
    })

  const configOptions = ({ settings }: Session) => Settings.optionsOf(settings(), services.agents.size > 1)

  const choices = (session: Session) => ({
    modes: Settings.modesOf(session.settings()),
    configOptions: configOptions(session)
  })

  /** Nothing can be added to the conversation now. */
  const show = Effect.fnUntraced(function* (sessionId: string) {
    const { dropped = 0, turns } = yield* known(sessionId)
    for (const [index, turn] of turns.entries()) {
      yield* replay(turn, `${dropped + index}`, client.shows, (update) => client.update(sessionId, update))
    }
  })

  // ---- what `_meta` says -------------------------------------------------------------------------------------------

  /** Deletes the messages if the client asks for that, and returns what is left. */
  const kept = (sessionId: string, conversation: Conversation | undefined, { resetSession }: SessionMeta) =>
    resetSession && conversation !== undefined
      ? Effect.as(Effect.uninterruptible(Effect.andThen(stop(sessionId), gateway.forget(sessionId))), undefined)
      : Effect.succeed(conversation)

  /** Begins a new conversation, or continues the one that has this key. */
  const begin = Effect.fnUntraced(function* (sessionId: string, asked: Asked, meta: SessionMeta, isNamed: boolean) {
    const found = isNamed ? yield* gateway.load(sessionId) : undefined
    if (found !== undefined && !isOurs(found)) return yield* unknownSession(sessionId)
    const brought = yield* read(asked, found?.agent ?? services.agent)
    yield* checkDirectory(brought, true)
    const before = yield* kept(sessionId, found, meta)
    return yield* Effect.uninterruptible(start(sessionId, asked, brought, before)).pipe(
      Effect.map((session) => ({ sessionId, ...choices(session) })),
      // The client never learned of it.
      Effect.onInterrupt(() => Effect.andThen(stop(sessionId), gateway.release(sessionId)))
    )
  })

  const again = (sessionId: string, asked: Asked, isReplayed: boolean) =>
    inTurn(
      sessionId,
      Effect.gen(function* () {
        const meta = readSessionMeta(asked.meta)
        const other = yield* sessionMeant(meta, services)
        if (other !== undefined && other !== sessionId) {
          return yield* invalid(`_meta names another session than sessionId: ${other}`)
        }
        const conversation = yield* known(sessionId)
        const brought = yield* read(asked, conversation.agent ?? services.agent)
        yield* checkDirectory(brought, false)
        const before = yield* kept(sessionId, conversation, meta)
        const session = yield* Effect.uninterruptible(start(sessionId, asked, brought, before))
        if (!isReplayed || before === undefined) return choices(session)
        yield* show(sessionId).pipe(
          // The client never learned that it is open.
          Effect.onError(() => Effect.andThen(Effect.uninterruptible(stop(sessionId)), gateway.release(sessionId)))
        )
        return choices(session)
      })
    )

  const readMode = (given: unknown) => {
    const mode = Settings.readMode(given)
    return mode === undefined
      ? invalid(`there is no such mode: there are ${Settings.MODE_IDS.join(" and ")}`)
      : Effect.succeed(mode)
  }

  /** Before the first message, the session is opened again with the rules of the other agent. */
  const changeAgent = Effect.fnUntraced(function* (sessionId: string, { asked, session }: Open, value: unknown) {
    const { agent, agents } = session.settings()
    if (value === agent) return session
    const chosen = agents.find((id) => id === value)
    if (chosen === undefined) {
      return yield* typeof value === "string" && services.agents.has(value)
        ? invalid("the conversation has begun: another agent needs a new session")
        : invalid(`there is no such agent: there are ${agents.join(", ")}`)
    }
    const brought = yield* read(asked, chosen)
    return yield* Effect.uninterruptible(start(sessionId, asked, brought, undefined))
  })

  return {
    create: Effect.fnUntraced(function* (asked) {
      const meta = readSessionMeta(asked.meta)
      const named = yield* sessionMeant(meta, services)
      return named === undefined
        ? yield* begin(newId(), asked, meta, false)
        : yield* inTurn(named, begin(named, asked, meta, true))
    }),
    load: (sessionId, asked) => again(sessionId, asked, true),
    resume: (sessionId, asked) => again(sessionId, asked, false),
    list: Effect.fnUntraced(function* ({ cursor, cwd }) {
      const all = (yield* gateway.list).flatMap((info) =>
        info.cwd === undefined || !isOurs(info) || (typeof cwd === "string" && cwd !== info.cwd)
          ? []
          : [{ ...info, cwd: info.cwd }]
      )
      const after = typeof cursor === "string" ? readCursor(cursor) : undefined
      if (typeof cursor === "string" && after === undefined) {
        return yield* invalid("unknown cursor: list from the start")
      }
      const rest = after === undefined ? all : all.filter((info) => latestFirst(info, after) > 0)
      const page = rest.slice(0, ACP_LIST_PAGE)
      const last = page.at(-1)
      return {
        sessions: page.map((info) => ({
          sessionId: info.sessionKey,
          cwd: info.cwd,
          ...(info.title === undefined ? {} : { title: info.title }),
          updatedAt: new Date(info.updatedAt).toISOString()
        })),
        ...(last !== undefined && rest.length > page.length ? { nextCursor: cursorOf(last) } : {})
      }
    }),
    setMode: (sessionId, modeId) =>
      inTurn(
        sessionId,
        Effect.gen(function* () {
          const { session } = yield* opened(sessionId)
          session.setMode(yield* readMode(modeId))
          yield* session.send({ sessionUpdate: "config_option_update", configOptions: configOptions(session) })
        })
      ),
    setOption: (sessionId, configId, value) =>
      inTurn(
        sessionId,
        Effect.gen(function* () {
          const found = yield* opened(sessionId)
          if (configId === Settings.MODE_OPTION) {
            const mode = yield* readMode(value)
            found.session.setMode(mode)
            yield* found.session.send({ sessionUpdate: "current_mode_update", currentModeId: mode })
            return { configOptions: configOptions(found.session) }
          }
          if (configId !== Settings.AGENT_OPTION || services.agents.size === 1) {
            return yield* invalid("there is no such option")
          }
          return { configOptions: configOptions(yield* changeAgent(sessionId, found, value)) }
        })
      ),
    close: (sessionId) =>
      inTurn(
        sessionId,
        // A client may start a process in order to close a session that another process has open.
        Effect.andThen(Effect.uninterruptible(stop(sessionId)), gateway.release(sessionId))
      ),
    remove: (sessionId) =>
      inTurn(
        sessionId,
        Effect.gen(function* () {
          yield* known(sessionId)
          yield* Effect.uninterruptible(stop(sessionId))
          yield* gateway.forget(sessionId)
        })
      ),
    prompt: (sessionId, prompt, signal) =>
      Effect.gen(function* () {
        // The session may be opening right now.
        const found = yield* behind(sessionId, opened(sessionId), aborted(signal))
        if (found === undefined) return { stopReason: "cancelled" } as PromptResponse
        if (prompt.length === 0) return yield* invalid("prompt must not be empty")
        return yield* found.session.prompt(prompt, signal)
      }),
    cancel: (sessionId) =>
      Effect.suspend(() => {
        cancel(sessionId)
        return open.get(sessionId)?.session.cancel ?? Effect.void
      })
  }
})
