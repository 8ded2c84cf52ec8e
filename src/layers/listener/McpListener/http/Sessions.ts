/**
 * All sessions. They are found by a name that nobody can guess, by the holder of the token that opened them, at the address where it
 * opened them.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { RATE_SESSION_BYTES } from "../../../../schemas/defaults/LargeWork.ts"
import { LISTENER_SESSIONS_EACH_MAX, LISTENER_SESSIONS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { INVALID_REQUEST, NOT_NOW } from "../requests/refusals.ts"
import { idOf } from "../requests/shapes.ts"
import { keyOf, notServed, type Caller } from "./addresses.ts"
import type { Exchange } from "./Exchange.ts"
import { errorAnswer, type Answer, type Said } from "./httpMessages.ts"
import { notFound, Session } from "./Session.ts"
import type { Common, SessionOptions } from "./sessionServer.ts"
import { StreamSession } from "./StreamSession.ts"

const NAME_BYTES = 32

interface Options extends Common {
  /** The number of tokens: each has its part of all sessions. */
  readonly holders: number
}

const isInitialize = (body: unknown): body is Record<string, unknown> =>
  isObject(body) && body["method"] === "initialize" && body["id"] !== undefined

const tooMany = (id: unknown) => errorAnswer(503, NOT_NOW, "There are too many sessions", id, { "retry-after": "1" })

export class Sessions {
  readonly #options: Options
  /** The longest unused first. */
  readonly #all = new Map<string, Session | StreamSession>()
  /** The callers whose sessions are being opened. */
  readonly #opening: Array<Caller> = []

  constructor(options: Options) {
    this.#options = options
  }

  /** The session that this request names is in use from now on: before its body, which may take long to arrive. */
  hold(exchange: Exchange): void {
    const session = this.#find(exchange)
    if (session === undefined) return
    this.#all.delete(session.id)
    this.#all.set(session.id, session)
    session.hold(exchange)
  }

  answer(exchange: Exchange, body: unknown): Said {
    const name = exchange.header("mcp-session-id")
    if (name === undefined && isInitialize(body)) return this.#begin(exchange, body)
    if (name === undefined) return errorAnswer(400, INVALID_REQUEST, "The header Mcp-Session-Id is required")
    const session = this.#find(exchange)
    return session === undefined ? notFound() : session.answer(exchange, body)
  }

  /** Makes this the stream of a session (2024-11-05). */
  stream(exchange: Exchange): Said {
    const { who } = exchange
    return this.#open(exchange, (options) => StreamSession.open(options, exchange)).pipe(
      Effect.map((session) => (session === undefined ? tooMany(null) : void session.begin())),
      Effect.catch((refused) => Effect.succeed(notServed(refused, who, null, 403)))
    )
  }

  /** One message for such a session, whatever address its stream has. */
  say(exchange: Exchange, body: unknown): Answer {
    const name = new URLSearchParams(exchange.incoming.url?.split("?")[1]).get("sessionId") ?? ""
    const session = this.#all.get(name)
    const isOwn = session instanceof StreamSession && session.who.principal === exchange.who.principal
    return isOwn ? session.answer(exchange, body) : notFound()
  }

  /** The caller's own. */
  #find(exchange: Exchange): Session | undefined {
    const session = this.#all.get(exchange.header("mcp-session-id") ?? "")
    return session instanceof Session && keyOf(session.who) === keyOf(exchange.who) ? session : undefined
  }

  #begin(exchange: Exchange, body: Record<string, unknown>): Said {
    const { who } = exchange
    return this.#open(exchange, (options) => Session.open(options, body)).pipe(
      Effect.flatMap((session) => {
        if (session === undefined) return Effect.succeed(tooMany(idOf(body)))
        session.hold(exchange)
        const said = session.answer(exchange, body)
        if (!session.isOpen) session.end()
        return Effect.isEffect(said) ? said : Effect.succeed(said)
      }),
      Effect.catch((refused) => Effect.succeed(notServed(refused, who, idOf(body))))
    )
  }

  /** Gives nothing if there is no room, or its client has left: a session that is being opened takes a place and a turn of its holder. */
  #open<S extends Session | StreamSession>(
    exchange: Exchange,
    open: (options: SessionOptions) => Effect.Effect<S, RequestRefused, Scope.Scope>
  ): Effect.Effect<S | undefined, RequestRefused> {
    return Effect.suspend((): Effect.Effect<S | undefined, RequestRefused> => {
      const { who } = exchange
      if (exchange.isClosed || !this.#makeRoom(who)) return Effect.succeed(undefined)
      const id = randomBytes(NAME_BYTES).toString("base64url")
      const scope = Scope.forkUnsafe(this.#options.scope)
      const end = () => {
        this.#all.delete(id)
        this.#options.run(Scope.close(scope, Exit.void))
      }
      this.#opening.push(who)
      // It is as much work as a large request.
      const { pace } = this.#options.quotaOf(who)
      const turn = Effect.andThen(
        Effect.promise(() => pace.arrived(RATE_SESSION_BYTES)),
        Effect.promise(() => pace.large("cut"))
      )
      const opening = Effect.andThen(turn, Scope.provide(open({ ...this.#options, id, who, end }), scope)).pipe(
        Effect.tap((session) =>
          Effect.sync(() => {
            if (scope.state._tag !== "Closed") this.#all.set(id, session)
          })
        ),
        Effect.onError(() => Effect.sync(end)),
        Effect.ensuring(Effect.sync(() => this.#opening.splice(this.#opening.indexOf(who), 1)))
      )
      return Effect.raceFirst(opening, Effect.as(exchange.closed, undefined))
    })
  }

  /** A holder that has as many as it may have ends one of its own that it does not use: nobody ends another's, or keeps others out. */
  #makeRoom({ principal }: Caller): boolean {
    const isOwn = (who: Caller) => who.principal === principal
    const own = [...this.#all.values()].filter(({ who }) => isOwn(who))
    const count = own.length + this.#opening.filter(isOwn).length
    const isFull = this.#all.size + this.#opening.length >= LISTENER_SESSIONS_MAX
    const part = LISTENER_SESSIONS_MAX / this.#options.holders
    if (count < LISTENER_SESSIONS_EACH_MAX && (!isFull || count < part)) return true
    const unused = own.find(({ isInUse }) => !isInUse)
    unused?.end()
    return unused !== undefined
  }
}
