/**
 * What a server sends around its responses: interim responses, sizes and extensions of chunks, trailers. The parser processes them as fast as
 * they come, and nothing else sees them. So they are bounded: the connection of a server that sends little else is closed. Responses that
 * `fetch` would decode several times, or send the request again for, are refused.
 */
import type { Socket } from "node:net"
import type { Dispatcher } from "undici"
import {
  FRAMING_FREE_BYTES,
  FRAMING_PER_BODY_BYTE,
  FRAMING_PER_CHUNK_BYTES,
  FRAMING_PER_REQUEST_BYTES,
  INTERIM_RESPONSES_MAX
} from "../../../schemas/defaults/Wire.ts"

const MISDIRECTED = 421

export interface Framing {
  /** Counts the bytes that are read from a connection. */
  readonly watch: (socket: Socket) => void
  /** Counts the bytes of responses among them. */
  readonly interceptor: Dispatcher.DispatcherComposeInterceptor
}

/** For all connections to one server. */
export const makeFraming = (): Framing => {
  let left = FRAMING_FREE_BYTES
  const earn = (bytes: number) => {
    left = Math.min(FRAMING_FREE_BYTES, left + bytes)
  }
  return {
    watch: (socket) => {
      const read = socket.read.bind(socket)
      socket.read = (size?: number) => {
        const chunk: unknown = read(size)
        if (!Buffer.isBuffer(chunk)) return chunk
        left -= chunk.byteLength
        if (left >= 0) return chunk
        left = FRAMING_FREE_BYTES
        socket.destroy(new Error("the server sends little else than what is around an answer"))
        return null
      }
    },
    interceptor: (dispatch) => (options, handler) => {
      let interim = 0
      return dispatch(options, {
        ...around(handler),
        onRequestStart: (controller, context) => {
          earn(FRAMING_PER_REQUEST_BYTES)
          handler.onRequestStart?.(controller, context)
        },
        onResponseStart: (controller, status, headers, words) => {
          if (status < 200 && ++interim > INTERIM_RESPONSES_MAX) {
            return controller.abort(new Error("the server sends interim responses without end"))
          }
          // `fetch` would send the request once more, and a server that says this may have taken it all the same.
          if (status === MISDIRECTED) {
            return controller.abort(new Error("the server answered HTTP 421: it is not the one for this address"))
          }
          // The bytes between two codings are seen by nobody, and their number has no bound.
          if ([headers["content-encoding"]].flat().join().includes(",")) {
            return controller.abort(new Error("the server encoded its answer more than once"))
          }
          handler.onResponseStart?.(controller, status, headers, words)
        },
        onResponseData: (controller, chunk) => {
          earn(chunk.byteLength * FRAMING_PER_BODY_BYTE - FRAMING_PER_CHUNK_BYTES)
          handler.onResponseData?.(controller, chunk)
        }
      })
    }
  }
}

/** Passes on the other events of a handler. */
export const around = (handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler => ({
  onResponseStarted: () => handler.onResponseStarted?.(),
  onBodySent: (chunk) => handler.onBodySent?.(chunk),
  onRequestSent: () => handler.onRequestSent?.(),
  onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
  onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
  onResponseError: (...given) => handler.onResponseError?.(...given)
})
