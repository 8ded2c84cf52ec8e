/** Answers browsers: a token is exchanged for a cookie, and with the cookie there are files, and the WebSocket. */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { PAGE_SESSION_MS } from "../../../schemas/defaults/Page.ts"
import type { Places } from "../../../system/connectionPlaces.ts"
import { answerEarly, framingFault, SAFE_HEADERS } from "../../../system/httpServer.ts"
import { cookiesNamed, isAhead, isFromElsewhere, isNavigation, makeAdmission } from "./admission.ts"
import type { PageFile, PageFiles } from "./files.ts"
import { LASTING, PAGE_HEADERS } from "./headers.ts"
import type { Session, Sessions } from "./sessions.ts"
import { contextOf, type Sockets } from "./sockets.ts"
import type { Tokens } from "./tokens.ts"

/** Where the page opens its WebSocket, from its own address. */
const SOCKET = "control"

const NEW_ADDRESS = "'mcp-live ui' opens the page with a new address."
const NOT_OURS = "This request is not for the page of this gateway, or comes from another page."
const NOWHERE = `There is nothing at this address. ${NEW_ADDRESS}`
const NOT_LET_IN = `This browser has not been let in, or not for some time. ${NEW_ADDRESS}`
const USED = `This address was used before, or is too old. ${NEW_ADDRESS}`
const FULL = "Too many pages of this gateway are open."

export interface AnswersOptions {
  readonly port: number
  readonly page: PageFiles
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly places: Places
  readonly sockets: Sockets
  /** Nobody may change anything, whatever the session says. */
  readonly onlyReading: boolean
}

export const refuse = (
  response: ServerResponse,
  status: number,
  words: string,
  headers: Record<string, string> = {}
): void =>
  answerEarly(response, status, { ...PAGE_HEADERS, ...headers, "content-type": "text/plain; charset=utf-8" }, words)

/** The same for a connection that was to become a WebSocket. */
export const refuseSocket = (socket: Duplex, status: string): void => {
  socket.on("error", () => {})
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy())
}

export const sendFile = (response: ServerResponse, { body, isLasting, type }: PageFile): void => {
  const headers = { ...SAFE_HEADERS, ...PAGE_HEADERS, "content-type": type, "content-length": String(body.length) }
  response.writeHead(200, isLasting ? { ...headers, "cache-control": LASTING } : headers).end(body)
}

/** For the caller's Scope. */
export const makeAnswers = Effect.fnUntraced(function* ({
  onlyReading,
  page,
  places,
  port,
  sessions,
  sockets,
  tokens
}: AnswersOptions) {
  const run = yield* FiberSet.makeRuntime()
  const { admits, targetOf } = makeAdmission(port, sessions.path)
  const own = `/${sessions.path}/`
  // A browser has the cookies of a host for all of its ports.
  const cookieName = `mcp-live-${port}`

  const sessionOf = (incoming: IncomingMessage): Session | undefined =>
    cookiesNamed(cookieName, incoming)
      .map((cookie) => sessions.find(cookie, port))
      .find((session) => session !== undefined)

  /** On to the address without a token, which stays in no history. */
  const leadOn = (incoming: IncomingMessage, response: ServerResponse, headers: Record<string, string> = {}): void => {
    const all = { ...SAFE_HEADERS, ...PAGE_HEADERS, ...headers, "content-length": "0" }
    // A browser follows a redirect without the cookie if another page led here; what this answer itself leads to is ours.
    if (isFromElsewhere(incoming)) response.writeHead(200, { ...all, refresh: `0; url=${own}` }).end()
    else response.writeHead(303, { ...all, location: own }).end()
  }

  const letIn = (incoming: IncomingMessage, response: ServerResponse, readOnly: boolean): void => {
    const attributes = `Path=${own}; Max-Age=${PAGE_SESSION_MS / 1_000}; HttpOnly; SameSite=Strict`
    run(
      Effect.map(sessions.begin({ port, readOnly }), (cookie) =>
        leadOn(incoming, response, { "set-cookie": `${cookieName}=${cookie}; ${attributes}` })
      )
    )
  }

  const enter = (incoming: IncomingMessage, response: ServerResponse, given: string): void => {
    if (incoming.method !== "GET" || isAhead(incoming)) return refuse(response, 503, "")
    const token = tokens.use(given)
    if (token !== undefined) return letIn(incoming, response, token.readOnly)
    return sessionOf(incoming) === undefined ? refuse(response, 403, USED) : leadOn(incoming, response)
  }

  const request = (incoming: IncomingMessage, response: ServerResponse): void => {
    const fault = framingFault(incoming)
    if (fault !== undefined) return refuse(response, fault, "")
    if (!admits(incoming, false)) return refuse(response, 403, NOT_OURS)
    const target = targetOf(incoming)
    if (target === undefined) return refuse(response, 404, NOWHERE)
    const isEntrance = target.name === "" && target.token !== undefined
    if (isFromElsewhere(incoming) && !(isEntrance && isNavigation(incoming))) return refuse(response, 403, NOT_OURS)
    if (!["GET", "HEAD"].includes(incoming.method ?? "")) return refuse(response, 405, "", { allow: "GET, HEAD" })
    if (isEntrance) return enter(incoming, response, target.token)
    const session = sessionOf(incoming)
    if (session === undefined) return refuse(response, 401, NOT_LET_IN)
    if (!places.admit(incoming, response, session.digest)) return refuse(response, 503, FULL)
    const file = page.get(target.name)
    return file === undefined ? refuse(response, 404, NOWHERE) : sendFile(response, file)
  }

  const upgrade = (incoming: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (framingFault(incoming) !== undefined) return refuseSocket(socket, "400 Bad Request")
    if (!admits(incoming, true) || isFromElsewhere(incoming)) return refuseSocket(socket, "403 Forbidden")
    if (targetOf(incoming)?.name !== SOCKET) return refuseSocket(socket, "404 Not Found")
    const session = sessionOf(incoming)
    if (session === undefined) return refuseSocket(socket, "401 Unauthorized")
    const isAdmitted = !sockets.isFull() && places.admit(incoming, socket, session.digest)
    if (!isAdmitted) return refuseSocket(socket, "503 Service Unavailable")
    const { digest, until } = session
    return sockets.accept(incoming, socket, head, {
      id: digest,
      whose: digest,
      until,
      context: contextOf(onlyReading, session)
    })
  }

  return { request, upgrade }
})
