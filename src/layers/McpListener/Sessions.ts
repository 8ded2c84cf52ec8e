/** All sessions: found by a name that nobody can guess, by nobody but the holder of the token that opened them. */
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { LISTENER_SESSIONS_EACH_MAX, LISTENER_SESSIONS_MAX } from "../../schemas/Defaults.ts"
import { isObject } from "../../schemas/Json.ts"
import { RequestRefused } from "../../schemas/ListenerError.ts"
import type { Away } from "./Away.ts"
import { errorResponse } from "./httpMessages.ts"
import { INVALID_REQUEST, NOT_NOW } from "./refusals.ts"
import { Session, type SessionOptions } from "./Session.ts"
import type { Who } from "./tokens.ts"

const NAME_BYTES = 32
/** What a client is told of a session that it has not, whoever has it: it begins a new one. */
const SESSION_NOT_FOUND = -32_001

type Options = Omit<SessionOptions, "ended" | "id" | "who"> & { readonly scope: Scope.Scope }

const isInitialize = (body: unknown): body is Record<string, unknown> =>
  isObject(body) && body["method"] === "initialize" && body["id"] !== undefined

const idOf = ({ id }: Record<string, unknown>): string | number | null =>
  typeof id === "string" || typeof id === "number" ? id : null

export class Sessions {
  readonly #options: Options
  /** The longest unused first. */
  readonly #all = new Map<string, Session>()
  /** Those that are being opened, by whom. */
  readonly #opening: Array<Who> = []

  constructor(options: Options) {
    this.#options = options
  }

  /** `done` is called when the client has its answer, or has left. */
  async answer(who: Who, request: Request, body: unknown, done: Promise<void>, away: Away): Promise<Response> {
    const name = request.headers.get("mcp-session-id")
    if (name === null && isInitialize(body)) return this.#begin(who, request, body, done, away)
    if (name === null) return errorResponse(400, INVALID_REQUEST, "The header Mcp-Session-Id is required")
    const session = this.#all.get(name)
    if (session === undefined || session.who.principal !== who.principal) {
      return errorResponse(404, SESSION_NOT_FOUND, "Session not found")
    }
    this.#all.delete(name)
    this.#all.set(name, session)
    return Sessions.#use(session, request, body, done, away)
  }

  static #use(session: Session, request: Request, body: unknown, done: Promise<void>, away: Away): Promise<Response> {
    session.enter()
    void done.then(() => session.leave())
    return session.answer(request, body, away)
  }

  async #begin(
    who: Who,
    request: Request,
    body: Record<string, unknown>,
    done: Promise<void>,
    away: Away
  ): Promise<Response> {
    if (!this.#makeRoom(who)) {
      return errorResponse(503, NOT_NOW, "There are too many sessions", idOf(body), { "retry-after": "1" })
    }
    const id = randomBytes(NAME_BYTES).toString("base64url")
    this.#opening.push(who)
    const options = { ...this.#options, id, who, ended: () => void this.#all.delete(id) }
    const session = await Session.open(options, body).finally(() => {
      this.#opening.splice(this.#opening.indexOf(who), 1)
    })
    if (session instanceof RequestRefused) {
      const { code, data, message } = session
      return Response.json({ jsonrpc: "2.0", id: idOf(body), error: { code, message, data } })
    }
    this.#all.set(id, session)
    const answer = await Sessions.#use(session, request, body, done, away)
    if (!session.isOpen) session.end()
    return answer
  }

  /** A client that left without a word is not to keep others out: what is used by nobody makes room. */
  #makeRoom({ principal }: Who): boolean {
    const isOwn = (who: Who) => who.principal === principal
    const count = (isCounted: (who: Who) => boolean) =>
      [...this.#all.values()].filter(({ who }) => isCounted(who)).length + this.#opening.filter(isCounted).length
    const free = (isCounted: (who: Who) => boolean, max: number): boolean => {
      if (count(isCounted) < max) return true
      const unused = [...this.#all.values()].find(({ isInUse, who }) => !isInUse && isCounted(who))
      unused?.end()
      return unused !== undefined
    }
    return free(isOwn, LISTENER_SESSIONS_EACH_MAX) && free(() => true, LISTENER_SESSIONS_MAX)
  }
}
