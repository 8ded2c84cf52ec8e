/**
 * The sessions that one client has open, by id. Requests about the same session come one after the other; a session that is
 * opened again gets its servers anew, and lets go of those that it had.
 */
import type { ContentBlock, ListSessionsResponse, NewSessionResponse, PromptResponse } from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { readClientServers, readDirectory } from "../../schemas/ClientServers.ts"
import type { Conversation } from "../../schemas/Conversation.ts"
import { ACP_LIST_PAGE, ACP_SESSIONS_MAX } from "../../schemas/Defaults.ts"
import { failed, invalid, unknownSession, type Refused } from "./failure.ts"
import type { Services } from "./services.ts"
import { openSession, type Session } from "./session.ts"
import { replayOf } from "./updates.ts"

/** As the client sent it; what is in it is looked at here. */
export interface Asked {
  readonly cwd: unknown
  readonly mcpServers: unknown
}

export interface Sessions {
  readonly create: (asked: Asked) => Effect.Effect<NewSessionResponse, Refused>
  /** With everything that was said, before it returns. */
  readonly load: (sessionId: string, asked: Asked) => Effect.Effect<void, Refused>
  readonly resume: (sessionId: string, asked: Asked) => Effect.Effect<void, Refused>
  readonly list: (filter: {
    readonly cwd?: string | null | undefined
    readonly cursor?: string | null | undefined
  }) => Effect.Effect<ListSessionsResponse, Refused>
  readonly close: (sessionId: string) => Effect.Effect<void, Refused>
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
  const scope = yield* Effect.scope
  const open = new Map<string, Session>()
  const lines = new Map<string, { readonly turn: Semaphore.Semaphore; waiting: number }>()

  /** After the request before it about the same session. */
  const inTurn = <A, E>(sessionId: string, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const line = lines.get(sessionId) ?? { turn: Semaphore.makeUnsafe(1), waiting: 0 }
        line.waiting++
        lines.set(sessionId, line)
        return line
      }),
      ({ turn }) => turn.withPermit(work),
      (line) =>
        Effect.sync(() => {
          if (--line.waiting === 0) lines.delete(sessionId)
        })
    )

  const read = ({ cwd, mcpServers }: Asked) =>
    Effect.fromResult(
      Result.flatMap(readDirectory(cwd), (directory) =>
        Result.map(
          readClientServers(mcpServers, { cwd: directory, limits: services.acp, taken: services.ownServers }),
          (brought) => ({ cwd: directory, ...brought })
        )
      )
    ).pipe(Effect.mapError(invalid))

  const stop = (sessionId: string) =>
    Effect.suspend(() => {
      const session = open.get(sessionId)
      open.delete(sessionId)
      return session === undefined ? Effect.void : session.close
    })

  const start = Effect.fnUntraced(function* (
    sessionId: string,
    asked: Effect.Success<ReturnType<typeof read>>,
    before: Conversation | undefined
  ) {
    yield* stop(sessionId)
    if (open.size >= ACP_SESSIONS_MAX) {
      return yield* failed(`${ACP_SESSIONS_MAX} sessions are open, and that is as many as may be: close one first`)
    }
    yield* gateway.begin(sessionId, { cwd: asked.cwd })
    const session = yield* openSession(
      { sessionId, ...asked, turns: before?.turns.length ?? 0, titled: before?.title !== undefined },
      services
    ).pipe(Scope.provide(scope))
    open.set(sessionId, session)
  })

  const known = Effect.fnUntraced(function* (sessionId: string) {
    return (yield* gateway.load(sessionId)) ?? (yield* unknownSession(sessionId))
  })

  const again = (sessionId: string, asked: Asked, replay: boolean) =>
    inTurn(
      sessionId,
      Effect.gen(function* () {
        const brought = yield* read(asked)
        const conversation = yield* known(sessionId)
        yield* Effect.uninterruptible(start(sessionId, brought, conversation))
        if (!replay) return
        for (const [index, turn] of conversation.turns.entries()) {
          for (const update of yield* replayOf(turn, index, client.shows)) yield* client.update(sessionId, update)
        }
      })
    )

  return {
    create: Effect.fnUntraced(function* (asked) {
      const brought = yield* read(asked)
      const sessionId = newId()
      return yield* Effect.as(Effect.uninterruptible(start(sessionId, brought, undefined)), { sessionId }).pipe(
        // Nobody was told of it.
        Effect.onInterrupt(() => Effect.andThen(stop(sessionId), gateway.release(sessionId)))
      )
    }),
    load: (sessionId, asked) => again(sessionId, asked, true),
    resume: (sessionId, asked) => again(sessionId, asked, false),
    list: Effect.fnUntraced(function* ({ cursor, cwd }) {
      const all = (yield* gateway.list).flatMap((info) =>
        info.cwd === undefined || (typeof cwd === "string" && cwd !== info.cwd) ? [] : [{ ...info, cwd: info.cwd }]
      )
      const from = typeof cursor === "string" ? all.findIndex(({ sessionKey }) => sessionKey === cursor) + 1 : 0
      if (typeof cursor === "string" && from === 0) return yield* invalid("cursor leads nowhere: list from the start")
      const page = all.slice(from, from + ACP_LIST_PAGE)
      const last = page.at(-1)
      return {
        sessions: page.map((info) => ({
          sessionId: info.sessionKey,
          cwd: info.cwd,
          ...(info.title === undefined ? {} : { title: info.title }),
          updatedAt: new Date(info.updatedAt).toISOString()
        })),
        ...(last !== undefined && from + ACP_LIST_PAGE < all.length ? { nextCursor: last.sessionKey } : {})
      }
    }),
    close: (sessionId) =>
      inTurn(
        sessionId,
        Effect.gen(function* () {
          // One of an earlier process has nothing to let go of.
          if (!open.has(sessionId)) yield* known(sessionId)
          yield* Effect.uninterruptible(stop(sessionId))
          yield* gateway.release(sessionId)
        })
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
      Effect.suspend(() => {
        const session = open.get(sessionId)
        if (session === undefined) return unknownSession(sessionId)
        return prompt.length === 0 ? invalid("prompt must not be empty") : session.prompt(prompt, signal)
      }),
    cancel: (sessionId) => Effect.suspend(() => open.get(sessionId)?.cancel ?? Effect.void)
  }
})
