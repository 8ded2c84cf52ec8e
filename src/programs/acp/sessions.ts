/**
 * The requests of one client about its sessions. Those about one session run one after the other. Opening a session again stops its
 * servers and starts them anew.
 */
import type {
  ContentBlock,
  NewSessionResponse,
  PromptResponse,
  ResumeSessionResponse,
  SetSessionConfigOptionResponse
} from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Conversation } from "../../schemas/agent/Conversation.ts"
import { invalid, unknownSession, type Refused } from "./failure.ts"
import { isOursIn, sessionMeant } from "./named.ts"
import { makeOpenSessions, type Asked, type Open } from "./openSessions.ts"
import type { Services } from "./services.ts"
import { aborted, type Session } from "./session.ts"
import { listSessions } from "./sessionList.ts"
import { readSessionMeta, type SessionMeta } from "./sessionMeta.ts"
import { makeLines } from "./sessionQueue.ts"
import * as Settings from "./settings.ts"
import { replay } from "./updates.ts"

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
  readonly list: ReturnType<typeof listSessions>
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

export const makeSessions = Effect.fnUntraced(function* (
  services: Services,
  newId: () => string
): Effect.fn.Return<Sessions, never, Scope.Scope> {
  const { client, gateway } = services
  const { behind, cancel, inTurn } = yield* makeLines
  const { checkDirectory, find, leave, read, start, stop } = yield* makeOpenSessions(services, newId)

  const opened = (sessionId: string): Effect.Effect<Open, Refused> =>
    Effect.suspend(() => {
      const found = find(sessionId)
      return found === undefined ? unknownSession(sessionId) : Effect.succeed(found)
    })

  const isOurs = isOursIn(services)

  const known = Effect.fnUntraced(function* (sessionId: string) {
    const found = yield* gateway.load(sessionId)
    return found !== undefined && isOurs(found) ? found : yield* unknownSession(sessionId)
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
      Effect.onInterrupt(() => leave(sessionId))
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
          Effect.onError(() => leave(sessionId))
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
    list: listSessions(services),
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
      // A client may start a process in order to close a session that another process has open.
      inTurn(sessionId, leave(sessionId)),
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
        return find(sessionId)?.session.cancel ?? Effect.void
      })
  }
})
