/**
 * Answers the requests of browsers. A request must be for this server by name (a page whose name was made to lead here has another one), must not come
 * from another page, and must begin with the folder that only this user's browsers know. Then a token, or the cookie that one was exchanged
 * for, lets it in.
 */
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { PAGE_SESSION_MS } from "../../../schemas/defaults/Page.ts"
import type { Places } from "../../../system/connectionPlaces.ts"
import { answerEarly, digestOf, framingFault, SAFE_HEADERS } from "../../../system/httpServer.ts"
import { makeOwnHosts } from "../../../system/ownHosts.ts"
import type { PageFile, PageFiles } from "./files.ts"
import { LASTING, PAGE_HEADERS } from "./headers.ts"
import type { Session, Sessions } from "./sessions.ts"
import type { Sockets } from "./sockets.ts"
import type { Tokens } from "./tokens.ts"

/** Where the page opens its WebSocket, from its own address. */
const SOCKET = "control"

const NEW_ADDRESS = "mcp-live ui opens the page with a new address"
const NOT_HERE = "This address belongs to a gateway of mcp-live, but the request does not come from its page."
const NOT_LET_IN = `This browser has not been let in, or no longer is: ${NEW_ADDRESS}.`
const USED = `This address was used before, or is too old: ${NEW_ADDRESS}.`

export interface AnswersOptions {
  readonly port: number
  readonly page: PageFiles
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly places: Places
  readonly sockets: Sockets
}

interface Target {
  /** Below the page's folder. */
  readonly name: string
  readonly token: string | undefined
}

const refuse = (response: ServerResponse, status: number, words: string, headers: Record<string, string> = {}): void =>
  answerEarly(response, status, { ...PAGE_HEADERS, ...headers, "content-type": "text/plain; charset=utf-8" }, words)

/** The same for a connection that asked to become a WebSocket. */
const refuseSocket = (socket: Duplex, status: string): void => {
  socket.on("error", () => {})
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`
  socket.end(head, () => socket.destroy())
}

/** The values of all cookies of a name: a program at another port can add one, but none that counts. */
const cookiesNamed = (name: string, { headers: { cookie = "" } }: IncomingMessage): ReadonlyArray<string> =>
  cookie.split(";").flatMap((pair) => {
    const at = pair.indexOf("=")
    return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : []
  })

/** Browsers say so; whoever is no browser has no cookie that others could use. */
const isFromElsewhere = ({ headers }: IncomingMessage): boolean =>
  !["same-origin", "none", undefined].includes(headers["sec-fetch-site"] as string | undefined)

/** A browser may fetch an address before anybody wants to see it: that must not use the token. */
const isAhead = ({ headers }: IncomingMessage): boolean => headers["sec-purpose"] !== undefined

export const makeAnswers = Effect.fnUntraced(function* (options: AnswersOptions) {
  const { page, places, port, sessions, sockets, tokens } = options
  const run = yield* FiberSet.makeRuntime()
  const hostsOf = makeOwnHosts(port)
  const folder = digestOf(sessions.path)
  // Cookies are for all ports of a host.
  const cookieName = `mcp-live-${port}`

  const isOurs = (incoming: IncomingMessage, needsOrigin: boolean): boolean => {
    const { host = "", origin } = incoming.headers
    if (!hostsOf(incoming).includes(host.toLowerCase())) return false
    return origin === undefined ? !needsOrigin : origin === `http://${host.toLowerCase()}`
  }

  const targetOf = ({ url = "" }: IncomingMessage): Target | undefined => {
    const [, path = "", name, query] = /^\/([^/?]*)\/([^?]*)(?:\?(.*))?$/.exec(url) ?? []
    if (name === undefined || !timingSafeEqual(digestOf(path), folder)) return undefined
    return { name, token: new URLSearchParams(query).get("token") ?? undefined }
  }

  const sessionOf = (incoming: IncomingMessage): Session | undefined =>
    cookiesNamed(cookieName, incoming)
      .map((cookie) => sessions.find(cookie, port))
      .find((session) => session !== undefined)

  const send = ({ req, ...response }: ServerResponse, { body, isLasting, type }: PageFile): void => {}

  /** To the same address without the token, so that it is not in the history, with the cookie. */
  const letIn = Effect.fnUntraced(function* (incoming: IncomingMessage, response: ServerResponse, readOnly: boolean) {
    const cookie = yield* sessions.begin({ port, readOnly })
    const path = `/${sessions.path}/`
    const attributes = `Path=${path}; Max-Age=${PAGE_SESSION_MS / 1000}; HttpOnly; SameSite=Strict`
    response.writeHead(isFromElsewhere(incoming) ? 200 : 303, {
      ...SAFE_HEADERS,
      ...PAGE_HEADERS,
      "set-cookie": `${cookieName}=${cookie}; ${attributes}`,
      "content-length": "0",
      // A redirect of what another page led to would come without the cookie: then this answer itself leads on.
      ...(isFromElsewhere(incoming) ? { refresh: `0; url=${path}` } : { location: path })
    })
    response.end()
  })

  return { request: () => {}, upgrade: () => {} }
})
