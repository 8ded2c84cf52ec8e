/** WebSockets of open pages: each is a connection of the control contract, a message of it being a line. */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { createWebSocketStream, WebSocketServer, type WebSocket } from "ws"
import { Powers } from "../../../schemas/control/Powers.ts"
import { CONTROL_MESSAGE_MAX_BYTES } from "../../../schemas/defaults/Control.ts"
import { PAGE_PING_MS, PAGE_SOCKETS_MAX } from "../../../schemas/defaults/Page.ts"
import type { Transport } from "../../../system/control/transport.ts"
import type { Session } from "./sessions.ts"

const NEWLINE = 10

export interface SocketsOptions {
  readonly take: Transport["take"]
  /** Nobody may change anything, whatever the session says. */
  readonly onlyReading: boolean
  readonly clock: Clock.Clock
}

export interface Sockets {
  readonly isFull: () => boolean
  /** Takes over the connection of a request that was let in. */
  readonly accept: (incoming: IncomingMessage, socket: Duplex, head: Buffer, session: Session) => void
}

/** For the caller's Scope. */
export const makeSockets = Effect.fnUntraced(function* ({ clock, onlyReading, take }: SocketsOptions) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Nothing is gained on the loopback, and what is small on the way could be large here.
    perMessageDeflate: false,
    maxPayload: CONTROL_MESSAGE_MAX_BYTES
  })
  const open = new Map<WebSocket, { readonly until: number; isThere: boolean }>()

  const connect = (session: Session) => (socket: WebSocket) => {
    const life = { until: session.until, isThere: true }
    open.set(socket, life)
    socket.on("error", () => {}).on("pong", () => (life.isThere = true))
    socket.once("close", () => open.delete(socket))
    const stream = createWebSocketStream(socket, { decodeStrings: false })
    socket.on("message", (message: Buffer) => {
      if (message.at(-1) !== NEWLINE) stream.push("\n")
    })
    take(stream, Context.make(Powers, onlyReading || session.readOnly ? "read-only" : "all"))
  }

  const look = Effect.sync(() => {
    for (const [socket, life] of open) {
      if (!life.isThere || clock.currentTimeMillisUnsafe() >= life.until) socket.terminate()
      life.isThere = false
      socket.ping()
    }
  })
  yield* Effect.forkScoped(look.pipe(Effect.delay(PAGE_PING_MS), Effect.forever))

  return {
    isFull: () => open.size >= PAGE_SOCKETS_MAX,
    accept: (incoming, socket, head, session) => server.handleUpgrade(incoming, socket, head, connect(session))
  } satisfies Sockets
})
