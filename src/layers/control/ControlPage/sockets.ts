/** WebSockets of open pages: each is a connection of the control contract, a message of it being a line. */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { createWebSocketStream, WebSocketServer, type WebSocket } from "ws"
import { Powers } from "../../../schemas/control/Powers.ts"
import { CONTROL_MESSAGE_MAX_BYTES } from "../../../schemas/defaults/Control.ts"
import { SOCKET_UNREAD_MAX_BYTES } from "../../../schemas/defaults/Page.ts"
import type { Transport } from "../../../system/control/transport.ts"
import { again, tryEach } from "../../../system/rounds.ts"

const NEWLINE = 10
const GOOD = Effect.succeed(true)

export interface SocketsOptions {
  readonly take: Transport["take"]
  readonly clock: Clock.Clock
  readonly max: number
  /** How often an open page is asked whether it is still there, and its session whether it is still good. */
  readonly checkMs: number
  /** Of one message. */
  readonly maxBytes?: number
}

/** The session that a page was opened with. */
export interface PageSession {
  readonly id: string
  /** Who has it. */
  readonly whose: string
  /** Milliseconds since the epoch. */
  readonly until: number
  /** Where it may end before. */
  readonly isStillGood?: Effect.Effect<boolean> | undefined
  /** What requests are answered with besides. */
  readonly context: Context.Context<never>
}

/** What the requests of the operator's page are answered with. `onlyReading`: nobody may change anything, whatever the session says. */
export const contextOf = (onlyReading: boolean, { readOnly }: { readonly readOnly: boolean }): Context.Context<never> =>
  Context.make(Powers, onlyReading || readOnly ? "read-only" : "all")

export interface Sockets {
  readonly isFull: () => boolean
  /** The open pages of somebody. */
  readonly countOf: (whose: string) => number
  /** Takes over the connection of a request that was let in. */
  readonly accept: (incoming: IncomingMessage, socket: Duplex, head: Buffer, session: PageSession) => void
  /** Closes the pages of a session. */
  readonly end: (session: string) => void
}

/** For the caller's Scope. */
export const makeSockets = Effect.fnUntraced(function* ({
  checkMs,
  clock,
  max,
  maxBytes = CONTROL_MESSAGE_MAX_BYTES,
  take
}: SocketsOptions) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Nothing is gained on the loopback, and what is small on the way could be large here.
    perMessageDeflate: false,
    maxPayload: maxBytes
  })
  const open = new Map<WebSocket, { readonly session: PageSession; isThere: boolean }>()

  const connect = (session: PageSession) => (socket: WebSocket) => {
    const life = { session, isThere: true }
    open.set(socket, life)
    socket.on("error", () => {}).on("pong", () => (life.isThere = true))
    socket.once("close", () => open.delete(socket))
    // Each ping is answered: whoever sends many and reads nothing would fill the memory with answers.
    socket.on("ping", () => socket.bufferedAmount > SOCKET_UNREAD_MAX_BYTES && socket.terminate())
    const stream = createWebSocketStream(socket, { decodeStrings: false })
    socket.on("message", (message: Buffer) => {
      if (message.at(-1) !== NEWLINE) stream.push("\n")
    })
    take(stream, session.context)
  }

  const end = (id: string): void => {
    for (const [socket, { session }] of open) if (session.id === id) socket.terminate()
  }

  const look = Effect.sync(() => {
    for (const [socket, life] of open) {
      if (!life.isThere || clock.currentTimeMillisUnsafe() >= life.session.until) socket.terminate()
      life.isThere = false
      socket.ping()
    }
  })

  /** Apart from the other: an issuer that is slow to answer keeps no page open whose session has expired, and none of somebody else. */
  const inquire = Effect.suspend(() =>
    tryEach(
      new Map([...open.values()].map(({ session }) => [session.id, session.isStillGood ?? GOOD])),
      ([id, isStillGood]) => Effect.map(isStillGood, (isGood) => (isGood ? undefined : end(id))),
      { concurrency: "unbounded" }
    )
  )
  yield* Effect.forkScoped(again("looking for pages that are gone", checkMs, look))
  yield* Effect.forkScoped(again("looking for pages whose login has ended", checkMs, inquire))

  return {
    isFull: () => open.size >= max,
    countOf: (whose) => [...open.values()].filter(({ session }) => session.whose === whose).length,
    accept: (incoming, socket, head, session) => server.handleUpgrade(incoming, socket, head, connect(session)),
    end
  } satisfies Sockets
})
