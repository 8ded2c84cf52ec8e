/** All sessions: found by a name that nobody can guess, by nobody but the holder of the token that opened them, where it did. */
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import type { ServerResponse } from "node:http"
import { LISTENER_SESSIONS_EACH_MAX, LISTENER_SESSIONS_MAX } from "../../../../schemas/defaults/Listener.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { RequestRefused } from "../../../../schemas/listener/ListenerError.ts"
import { keyOf, notServed, type Caller } from "./addresses.ts"
import type { Disconnect } from "./Disconnect.ts"
import { errorResponse } from "./httpMessages.ts"
import { INVALID_REQUEST, NOT_NOW } from "../requests/refusals.ts"
import { Session } from "./Session.ts"
import type { SessionOptions } from "./sessionServer.ts"
import { StreamSession } from "./StreamSession.ts"

const NAME_BYTES = 32
/** What a client is told of a session that it has not, whoever has it: it begins a new one. */
const SESSION_NOT_FOUND = -32_001

interface Options extends Omit<SessionOptions, "ended" | "id" | "who"> {
  readonly scope: Scope.Scope
  /** Of tokens: each has its part of all sessions. */
  readonly holders: number
}

const isInitialize = (body: unknown): body is Record<string, unknown> =>
  isObject(body) && body["method"] === "initialize" && body["id"] !== undefined

const idOf = ({ id }: Record<string, unknown>): string | number | null =>
  typeof id === "string" || typeof id === "number" ? id : null

const tooMany = (id: string | number | null) =>
  errorResponse(503, NOT_NOW, "There are too many sessions", id, { "retry-after": "1" })

const notFound = () => errorResponse(404, SESSION_NOT_FOUND, "Session not found")

export class Sessions {
  readonly #options: Options
  /** The longest unused first. */
  readonly #all = new Map<string, Session | StreamSession>()
  /** Those that are being opened, by whom. */
  readonly #opening: Array<Caller> = []

  constructor(options: Options) {
    this.#options = options
  }

  /** `done` is called when the client has its answer, or has left. */
  async answer(who: Caller, request: Request, body: unknown, done: Promise<void>, away: Disconnect): Promise<Response> {
    const name = request.headers.get("mcp-session-id")
    if (name === null && isInitialize(body)) return this.#begin(who, request, body, done, away)
    if (name === null) return errorResponse(400, INVALID_REQUEST, "The header Mcp-Session-Id is required")
    const session = this.#all.get(name)
    if (!(session instanceof Session) || keyOf(session.who) !== keyOf(who)) return notFound()
    this.#all.delete(name)
    this.#all.set(name, session)
    return Sessions.#use(session, request, body, done, away)
  }

  /** Makes this the stream of a session (2024-11-05); or why not. */
  async stream(who: Caller, response: ServerResponse): Promise<Response | undefined> {
    const session = await this.#open(who, (options) => StreamSession.open(options, response))
    if (session === undefined) return tooMany(null)
    if (session instanceof RequestRefused) return notServed(session, who, null, 403)
    session.begin()
    return undefined
  }

  /** One message for such a session, whatever address its stream has. */
  say({ principal }: Caller, request: Request, body: unknown, away: Disconnect): Response {
    const session = this.#all.get(new URL(request.url).searchParams.get("sessionId") ?? "")
    if (!(session instanceof StreamSession) || session.who.principal !== principal) return notFound()
    return session.answer(body, away)
  }

  /** Nothing where there is no room. */
  async #open<S extends Session | StreamSession>(
    who: Caller,
    open: (options: SessionOptions) => Promise<S | RequestRefused>
  ): Promise<S | RequestRefused | undefined> {
    if (!this.#makeRoom(who)) return undefined
    const id = randomBytes(NAME_BYTES).toString("base64url")
    this.#opening.push(who)
    let hasEnded = false
    const ended = () => {
      hasEnded = true
      this.#all.delete(id)
    }
    // It is as much work as a large request.
    const opened = this.#options
      .quotaOf(who)
      .pace.large("cut")
      .then(() => open({ ...this.#options, id, who, ended }))
    const session = await opened.finally(() => {
      this.#opening.splice(this.#opening.indexOf(who), 1)
    })
    if (!(session instanceof RequestRefused) && !hasEnded) this.#all.set(id, session)
    return session
  }

  static #use(
    session: Session,
    request: Request,
    body: unknown,
    done: Promise<void>,
    away: Disconnect
  ): Promise<Response> {
    session.enter()
    void done.then(() => session.leave())
    return session.answer(request, body, away)
  }

  async #begin(
    who: Caller,
    request: Request,
    body: Record<string, unknown>,
    done: Promise<void>,
    away: Disconnect
  ): Promise<Response> {
    const session = await this.#open(who, (options) => Session.open(options, body))
    if (session === undefined) return tooMany(idOf(body))
    if (session instanceof RequestRefused) return notServed(session, who, idOf(body))
    const answer = await Sessions.#use(session, request, body, done, away)
    if (!session.isOpen) session.end()
    return answer
  }

  /** Whoever has as many as it may have ends one of its own that it does not use: nobody ends another's, or keeps others out. */
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
