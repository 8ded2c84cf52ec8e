/**
 * Listening on this machine's loopback, or on another address where somebody has said so, and what every door there has: time
 * and room are bounded, and who asks is looked at before anything else.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { createServer, type Server, type ServerResponse } from "node:http"
import { codeOf } from "./ownFiles.ts"
import type { Socket } from "node:net"
import { Places } from "./connectionPlaces.ts"
import { ConnectionTurns } from "./connectionTurns.ts"

export const LOOPBACK = "127.0.0.1"

const BACKLOG = 4096
const HEADER_MAX_BYTES = 16 * 1024

export interface ListenOptions extends LoopbackOptions {
  readonly address: string
}

export interface LoopbackOptions {
  /** 0 for one that is free. */
  readonly port: number
  /** Of those who were let in; there are as many places for those who were not, see `Places`. */
  readonly connectionsMax: number
  /** For the head of a request, and for all of it. */
  readonly headMs: number
  readonly receiveMs: number
}

/** The system's name for the failure, or words of our own. */
export class NoPort extends Data.TaggedError("NoPort")<{ readonly code: string }> {}

export interface Loopback {
  readonly server: Server
  /** Whoever answers requests says whose are to be. */
  readonly places: Places
  readonly port: number
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const listen = ({ address, headMs, port, receiveMs }: ListenOptions): Effect.Effect<Server, NoPort> =>
  Effect.callback((resume) => {
    const server = createServer({
      maxHeaderSize: HEADER_MAX_BYTES,
      headersTimeout: headMs,
      requestTimeout: receiveMs,
      connectionsCheckingInterval: Math.min(headMs, 1_000)
    })
    server.once("error", (error) => resume(Effect.fail(new NoPort({ code: codeOf(error) ?? "unknown error" }))))
    // A crowd waits in the system's queue, and not where it would be turned away.
    server.listen({ port, host: address, backlog: BACKLOG }, () => resume(Effect.succeed(server)))
  })

const close = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** Gives the server connections that are read in turns, in place of the sockets themselves. */
const inTurns = (server: Server, places: Places): void => {
  const turns = new ConnectionTurns()
  const takes = server.listeners("connection")
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    const metered = turns.meter(socket)
    places.arrive(metered)
    for (const take of takes) take.call(server, metered)
  })
}

/** Listens until the Scope closes; connections that are open then are cut off. */
export const listenAt = (options: ListenOptions): Effect.Effect<Loopback, NoPort, Scope.Scope> =>
  Effect.map(Effect.acquireRelease(listen(options), close), (server) => {
    const places = new Places(options.connectionsMax)
    inTurns(server, places)
    return { server, places, port: portOf(server) }
  })

/** The same where nothing but this machine reaches it. */
export const listenOnLoopback = (options: LoopbackOptions): Effect.Effect<Loopback, NoPort, Scope.Scope> =>
  listenAt({ ...options, address: LOOPBACK })

/** Of one length, whatever they are made of: what is compared in constant time. */
export const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

export const SAFE_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** Without a word, and the end of the connection. */
export const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { ...SAFE_HEADERS, ...headers, "content-length": "0", connection: "close" }).end()
}
