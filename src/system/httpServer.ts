/**
 * HTTP servers, on loopback or on a configured address. Time and memory are limited, and a request is authenticated before anything else.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { LISTENER_REFUSED_MAX_BYTES, LISTENER_REFUSED_MS, LISTENER_SILENT_MS } from "../schemas/defaults/Listener.ts"
import { codeOf } from "./ownFiles.ts"
import type { Socket } from "node:net"
import type { Places } from "./connectionPlaces.ts"
import { ConnectionTurns, type Recognize } from "./connectionTurns.ts"

export const LOOPBACK = "127.0.0.1"

const BACKLOG = 4096
const HEADER_MAX_BYTES = 16 * 1024
const AUTHORIZATION = /\r\nauthorization:[ \t]*([^\r\n]+)/i

export interface ListenOptions {
  readonly address: string
  /** 0 for any free port. */
  readonly port: number
  /** The places for its connections. Whoever answers requests reports there which are authenticated. */
  readonly places: Places
  /** The time limits for the head of a request, and for all of it. */
  readonly headMs: number
  readonly receiveMs: number
  /** Whose turns a new connection has, before its request is authenticated; without this, those of strangers. */
  readonly recognize?: Recognize | undefined
}

/** What a person can do. */
const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: ": another program has it; choose another one, or 0 for one that is free",
  EADDRNOTAVAIL: ": that is not an address of this machine",
  EACCES: ": you may not have it; choose one above 1023"
}

/** The error code of the system, or our own words. */
export class NoPort extends Data.TaggedError("NoPort")<{ readonly code: string }> {
  override get message() {
    return `cannot be listened on${WHY[this.code] ?? ""} (${this.code})`
  }
}

export interface Listening {
  readonly server: Server
  readonly port: number
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const listen = ({ address, headMs, port, receiveMs }: ListenOptions): Effect.Effect<Server, NoPort> =>
  Effect.callback((resume) => {
    const server: Server = createServer({
      maxHeaderSize: HEADER_MAX_BYTES,
      headersTimeout: headMs,
      requestTimeout: receiveMs,
      // A machine that disappears does not close its connections.
      keepAlive: true,
      keepAliveInitialDelay: LISTENER_SILENT_MS,
      // Other protocols are not offered: such a request is answered like any other.
      shouldUpgradeCallback: ({ headers }) =>
        server.listenerCount("upgrade") > 0 && headers.upgrade?.toLowerCase() === "websocket",
      connectionsCheckingInterval: Math.min(headMs, 1_000)
    })
    server.once("error", (error) => resume(Effect.fail(new NoPort({ code: codeOf(error) ?? "unknown error" }))))
    // Many connections at once wait in the queue of the system instead of being refused.
    server.listen({ port, host: address, backlog: BACKLOG }, () => resume(Effect.succeed(server)))
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** Gives the server connections that are read in turns instead of the sockets. */
const inTurns = (server: Server, { places, recognize }: ListenOptions): void => {
  const turns = new ConnectionTurns(recognize)
  const takes = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    const metered = turns.meter(socket)
    places.arrive(metered)
    // It has all that an HTTP server asks of a socket.
    for (const take of takes) take.call(server, metered as unknown as Socket)
  })
}

/** Listens until the Scope closes, which closes open connections. */
export const listenAt = (options: ListenOptions): Effect.Effect<Listening, NoPort, Scope.Scope> =>
  Effect.map(Effect.acquireRelease(listen(options), close), (server) => {
    inTurns(server, options)
    return { server, port: portOf(server) }
  })

/** The field `authorization` of a request of which only the first bytes are there; nothing if it is not among them. */
export const authorizationIn = (head: Buffer): string | undefined => {
  const text = head.toString("latin1", 0, HEADER_MAX_BYTES)
  const end = text.indexOf("\r\n\r\n")
  return AUTHORIZATION.exec(end === -1 ? text : text.slice(0, end))?.[1]?.trimEnd()
}

const fieldsNamed = ({ rawHeaders }: IncomingMessage, name: string): ReadonlyArray<string> =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name)

/**
 * The status with which a request has to be refused that Node's parser lets through: a proxy in front of us could understand it
 * differently. One `Host` (RFC 9112, 3.2), `chunked` as the only transfer coding (6.1), and HTTP/1 (RFC 9110, 15.6.6).
 */
export const framingFault = (incoming: IncomingMessage): 400 | 501 | 505 | undefined => {
  if (incoming.httpVersionMajor !== 1) return 505
  if (fieldsNamed(incoming, "host").length > 1) return 400
  const codings = fieldsNamed(incoming, "transfer-encoding")
  return codings.length > 0 && codings.join().trim().toLowerCase() !== "chunked" ? 501 : undefined
}

/** Digests have the same length for every text, so they can be compared in constant time. */
export const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

export const SAFE_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

const answerUnfinished = (response: ServerResponse, text: string): void => {
  const { req } = response
  response.flushHeaders()
  if (text !== "") response.write(text)
  let taken = 0
  const ending = setTimeout(() => response.end(), LISTENER_REFUSED_MS).unref()
  req.on("data", (chunk: Buffer) => {
    taken += chunk.length
    if (taken > LISTENER_REFUSED_MAX_BYTES) req.pause()
    else ending.refresh()
  })
  req.once("end", () => response.end()).once("error", () => {})
  response.once("close", () => clearTimeout(ending))
  req.resume()
}

/**
 * Answers a request that may not have arrived completely, and closes the connection. With unread bytes, the system would discard the response
 * too, so a limited number of them is read first: a client that reads only after it has sent everything gets the response as well.
 */
export const answerEarly = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  text = ""
): void => {
  const { req } = response
  const length = String(Buffer.byteLength(text))
  const all = { ...SAFE_HEADERS, ...headers, "content-length": length, connection: "close" }
  response.writeHead(status, all)
  // What has arrived together with the head, which is mostly everything, is parsed by then.
  process.nextTick(() => {
    if (req.complete) response.end(text)
    else answerUnfinished(response, text)
  })
}

/** The same without a body. */
export const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}): void =>
  answerEarly(response, status, headers)
