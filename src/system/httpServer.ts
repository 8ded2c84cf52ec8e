/**
 * Listening on this machine's loopback, or on another address where somebody has said so, and what every door there has: time
 * and room are bounded, and who asks is looked at before anything else.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { createHash } from "node:crypto"
import { createServer, type Server, type ServerResponse } from "node:http"
import { LISTENER_REFUSED_MAX_BYTES, LISTENER_REFUSED_MS, LISTENER_SILENT_MS } from "../schemas/defaults/Listener.ts"
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
      // A machine that is gone without a word closes nothing.
      keepAlive: true,
      keepAliveInitialDelay: LISTENER_SILENT_MS,
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

/**
 * An answer to a request that may not have come whole, which ends the connection. Bytes that nobody takes would have the system throw
 * away the answer with them, so a bounded number of them is taken first: who reads only when all is sent gets its answer, too.
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
  if (req.complete) return void response.end(text)
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

/** The same without a word. */
export const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}): void =>
  answerEarly(response, status, headers)
