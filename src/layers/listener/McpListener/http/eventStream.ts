/**
 * HTTP with SSE (2024-11-05) as the SDK's transport: one stream for all that the client is told, and requests of their own for
 * what it says. A client that does not read is cut off: at once when there is too much for it, and after a while anyhow.
 */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { ServerResponse } from "node:http"
import {
  LISTENER_KEEP_ALIVE_MS,
  LISTENER_UNREAD_MAX_BYTES,
  LISTENER_UNREAD_MS
} from "../../../../schemas/defaults/Listener.ts"
import { SAFE_HEADERS } from "../../../../system/httpServer.ts"
import type { Run } from "../requests/Call.ts"
import type { ClientQuota } from "../requests/ClientQuota.ts"
import { end } from "./httpMessages.ts"

export interface EventStreamOptions {
  readonly response: ServerResponse
  readonly holder: ClientQuota
  readonly run: Run
  /** Where the client's messages go. */
  readonly endpoint: string
}

export interface EventStream extends Transport {
  /** Opens the stream, and tells the client where its messages go. */
  readonly begin: () => void
}

const HEADERS = {
  ...SAFE_HEADERS,
  "content-type": "text/event-stream",
  // A proxy in front is not to collect what is for now.
  "x-accel-buffering": "no"
}

export const makeEventStream = ({ endpoint, holder, response, run }: EventStreamOptions): EventStream => {
  let isClosed = false
  let unreadNews = 0
  let timesRead = 0
  let watching: Fiber.Fiber<unknown, unknown> | undefined
  let keeping: Fiber.Fiber<unknown, unknown> | undefined

  const close = () => {
    if (isClosed) return
    isClosed = true
    watching?.interruptUnsafe()
    keeping?.interruptUnsafe()
    end(response)
    transport.onclose?.()
  }

  /** While something is not read, something has to be, from time to time. */
  const watch = () => {
    if (watching !== undefined || isClosed || response.writableLength === 0) return
    const before = timesRead
    const look = Effect.sync(() => {
      watching = undefined
      if (timesRead === before && response.writableLength > 0) response.destroy()
      else watch()
    })
    watching = run(Effect.andThen(Effect.sleep(LISTENER_UNREAD_MS), look))
  }

  /** Answers may be large, and wait to be read with all others of this holder; what nobody has asked for may not. */
  const write = (text: string, isNews: boolean) => {
    const size = isNews ? text.length : 0
    unreadNews += size
    response.write(text, () => {
      unreadNews -= size
      timesRead++
    })
    if (unreadNews > LISTENER_UNREAD_MAX_BYTES) return void response.destroy()
    holder.wrote(response, true)
    watch()
  }

  const transport: EventStream = {
    start: async () => {
      response.once("close", close)
      if (response.destroyed) close()
    },
    begin: () => {
      if (isClosed) return
      response.writeHead(200, HEADERS)
      write(`event: endpoint\ndata: ${endpoint}\n\n`, true)
      const keep = Effect.sync(() => write(": still here\n\n", true))
      keeping = run(Effect.forever(Effect.andThen(Effect.sleep(LISTENER_KEEP_ALIVE_MS), keep)))
    },
    send: async (message: JSONRPCMessage) => {
      if (isClosed || response.destroyed) throw new Error("the client has left")
      write(`event: message\ndata: ${JSON.stringify(message)}\n\n`, "method" in message)
    },
    close: async () => close()
  }
  return transport
}
