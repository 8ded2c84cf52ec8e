/**
 * All sessions. They are found by a name that nobody can guess, by the holder of the token that opened them, at the address where it
 * opened them. In a fleet, any node may have to open one again that was at another node.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { RATE_SESSION_BYTES } from "../../../../schemas/defaults/LargeWork.ts"
import {
  LISTENER_HANDING_OVER,
  LISTENER_SESSIONS_EACH_MAX,
  LISTENER_SESSIONS_MAX
} from "../../../../schemas/defaults/Listener.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import type { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import type { SessionRecord } from "../../../../schemas/listener/SessionRecord.ts"
import type { Directory } from "../../../../services/listener/SessionDirectory.ts"
import type { Asked } from "../requests/lost.ts"
import { INVALID_REQUEST, NOT_NOW } from "../requests/refusals.ts"
import { idOf } from "../requests/shapes.ts"
import { isSameHolder, notServed, renew, type Caller } from "./addresses.ts"
import type { Exchange } from "./Exchange.ts"
import { errorAnswer, type Answer, type Said } from "./httpMessages.ts"
import { OpenSessions } from "./OpenSessions.ts"
import { notFound, Session } from "./Session.ts"
import type { Common, SessionOptions } from "./sessionServer.ts"
import { StreamSession } from "./StreamSession.ts"

const NAME_BYTES = 32

interface Options extends Common {
  /** The number of tokens: each has its part of all sessions. */
  readonly holders: number
}

/** Why a session is closed: it is over for its client, or goes on at another node. */
type Closing = "ended" | "moved"

export const isInitialize = (body: unknown): body is Record<string, unknown> =>
  isObject(body) && body["method"] === "initialize" && body["id"] !== undefined

/** The session that the address of a message names (2024-11-05). */
export const streamNamed = ({ incoming: { url } }: Exchange): string =>
  new URLSearchParams(url?.split("?")[1]).get("sessionId") ?? ""

const tooMany = (id: unknown) => errorAnswer(503, NOT_NOW, "There are too many sessions", id, { "retry-after": "1" })

interface Opening {
  /** The request that opens it, if its client waits for that. */
  readonly asker?: Exchange
  readonly id?: string
  /** What it counts as if it cannot be opened. */
  readonly failing?: Closing
}

export class Sessions {
  readonly #options: Options
  readonly #all = new OpenSessions<Session | StreamSession>()
  /** Whose each is, and how it is closed: also while it is being opened. */
  readonly #closes = new Map<string, { readonly who: Caller; readonly close: (closing: Closing) => void }>()
  /** Those that are about to be another node's. */
  readonly #moving = new Set<string>()
  /** Those of other nodes that are being opened again. */
  readonly #reviving = new Map<string, Deferred.Deferred<boolean, RequestRefused>>()

  constructor(options: Options) {
    this.#options = options
  }

  get count(): number {
    return this.#all.count
  }

  get isFull(): boolean {
    return this.#all.count >= this.#max
  }

  has(id: string): boolean {
    return this.#all.get(id) !== undefined && !this.#moving.has(id)
  }

  /** The session that this request names is in use from now on: before its body, which may take long to arrive. */
  hold(exchange: Exchange): void {
    const session = this.#find(exchange)
    if (session === undefined) return
    this.#all.used(session)
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
    return this.#open(who, (options) => StreamSession.open(options, exchange), { asker: exchange }).pipe(
      Effect.map((session) => (session === undefined ? tooMany(null) : void session.begin())),
      Effect.catch((refused) => Effect.succeed(notServed(refused, who, null, 403)))
    )
  }

  /** One message for such a session, whatever address its stream has. */
  say(exchange: Exchange, body: unknown): Answer {
    const session = this.#all.get(streamNamed(exchange))
    if (
      !(session instanceof StreamSession) ||
      !isSameHolder(session.who, { ...exchange.who, only: session.who.only })
    ) {
      return notFound()
    }
    renew(session.who, exchange.who)
    return session.answer(exchange, body)
  }

  // ---- in a fleet ----------------------------------------------------------------------------------------------------

  /** Opens a session of another node again, as its client left it; false if there is no room. */
  revive(record: SessionRecord, who: Caller): Effect.Effect<boolean, RequestRefused> {
    return Effect.suspend(() => {
      if (this.has(record.id)) return Effect.succeed(true)
      const begun = this.#reviving.get(record.id)
      if (begun !== undefined) return Deferred.await(begun)
      const done = Deferred.makeUnsafe<boolean, RequestRefused>()
      this.#reviving.set(record.id, done)
      const first = { params: record.initialize }
      const open = (options: SessionOptions) =>
        Effect.tap(Session.open(options, first), (session) => session.revive(record))
      const opened = Effect.map(
        this.#open(who, open, { id: record.id, failing: "moved" }),
        (session) => session !== undefined
      )
      return opened.pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            this.#reviving.delete(record.id)
            Deferred.doneUnsafe(done, exit)
          })
        )
      )
    })
  }

  /** What became of requests that were under way where this session was before. */
  sayLost(exchange: Exchange, asked: ReadonlyArray<Asked>): Effect.Effect<Answer | undefined> {
    return this.#find(exchange)?.sayLost(exchange, asked) ?? Effect.succeed(notFound())
  }

  /** Another node has it now. */
  lose(id: string): void {
    this.#closes.get(id)?.close("moved")
  }

  loseAll(): void {
    for (const { close } of this.#closes.values()) close("moved")
  }

  /** Gives other nodes those that nothing is done for; says whether something is done for others. */
  handOver(directory: Directory): Effect.Effect<boolean> {
    const give = (session: Session): Effect.Effect<void> =>
      Effect.suspend(() => {
        const { id } = session
        if (session.isBusy || !this.has(id)) return Effect.void
        this.#moving.add(id)
        return directory.handOver(id).pipe(
          Effect.map((isFree) => {
            if (isFree) this.lose(id)
          }),
          Effect.ensuring(Effect.sync(() => this.#moving.delete(id)))
        )
      })
    return Effect.suspend(() => {
      const all = [...this.#all.all].filter((session) => session instanceof Session)
      const given = Effect.forEach(all, give, { concurrency: LISTENER_HANDING_OVER, discard: true })
      return Effect.map(given, () => [...this.#all.all].some(({ isBusy }) => isBusy))
    })
  }

  // ---- all of them ---------------------------------------------------------------------------------------------------

  /** Whose they are, and how each ends, whatever is done for it. */
  get kept(): ReadonlyArray<{ readonly who: Caller; readonly end: () => void }> {
    return [...this.#closes.values()].map(({ close, who }) => ({ who, end: () => close("ended") }))
  }

  get #max(): number {
    return this.#options.directory?.sessionsMax ?? LISTENER_SESSIONS_MAX
  }

  /** The caller's own. */
  #find(exchange: Exchange): Session | undefined {
    const session = this.#all.get(exchange.header("mcp-session-id") ?? "")
    if (!(session instanceof Session) || !isSameHolder(session.who, exchange.who)) return undefined
    renew(session.who, exchange.who)
    return session
  }

  #begin(exchange: Exchange, body: Record<string, unknown>): Said {
    const { who } = exchange
    return this.#open(who, (options) => Session.open(options, body), { asker: exchange }).pipe(
      Effect.tap((session) => this.#keep(session, body)),
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

  /** Before its client knows it, other nodes can find it. */
  #keep(session: Session | undefined, body: unknown): Effect.Effect<void> {
    const { directory, sdk } = this.#options
    if (directory === undefined || session === undefined || !sdk.isInitializeRequest(body)) return Effect.void
    return directory.keep(session.record)
  }

  #newName(): string {
    const random = randomBytes(NAME_BYTES).toString("base64url")
    return this.#options.directory?.nameOf(random) ?? random
  }

  /** Gives nothing if there is no room, or its client has left: a session that is being opened takes a place and a turn of its holder. */
  #open<S extends Session | StreamSession>(
    who: Caller,
    open: (options: SessionOptions) => Effect.Effect<S, RequestRefused, Scope.Scope>,
    { asker, failing = "ended", id = this.#newName() }: Opening = {}
  ): Effect.Effect<S | undefined, RequestRefused> {
    return Effect.suspend((): Effect.Effect<S | undefined, RequestRefused> => {
      if (asker?.isClosed === true || !this.#makeRoom(who)) return Effect.succeed(undefined)
      const scope = Scope.forkUnsafe(this.#options.scope)
      const close = (closing: Closing) => {
        this.#all.delete(id)
        this.#closes.delete(id)
        if (closing === "ended") this.#options.directory?.ended(id)
        this.#options.run(Scope.close(scope, Exit.void))
      }
      const end = () => close("ended")
      this.#closes.set(id, { who, close })
      const opened = this.#all.opening(who.principal)
      // It is as much work as a large request.
      const { pace } = this.#options.quotaOf(who)
      const turn = Effect.andThen(
        Effect.promise(() => pace.arrived(RATE_SESSION_BYTES)),
        Effect.promise(() => pace.large("cut"))
      )
      const opening = Effect.andThen(turn, Scope.provide(open({ ...this.#options, id, who, end }), scope)).pipe(
        Effect.tap((session) =>
          Effect.sync(() => {
            if (scope.state._tag !== "Closed") this.#all.add(session)
          })
        ),
        Effect.onError(() => Effect.sync(() => close(failing))),
        Effect.ensuring(Effect.sync(opened))
      )
      return asker === undefined ? opening : Effect.raceFirst(opening, Effect.as(asker.closed, undefined))
    })
  }

  /** A holder that has as many as it may have ends one of its own that it does not use: nobody ends another's, or keeps others out. */
  #makeRoom({ principal }: Caller): boolean {
    const count = this.#all.countOf(principal)
    const isFull = this.#all.count >= this.#max
    const eachMax = this.#options.directory === undefined ? LISTENER_SESSIONS_EACH_MAX : this.#max
    if (count < eachMax && (!isFull || count < this.#max / this.#options.holders)) return true
    const unused = this.#all.unused(principal)
    unused?.end()
    return unused !== undefined
  }
}
