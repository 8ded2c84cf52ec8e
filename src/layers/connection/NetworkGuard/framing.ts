/**
 * What a server sends besides its answers: interim responses, extensions and sizes of chunks, trailers. The parser takes them
 * as fast as they come, and nobody behind it ever learns of them. So they are bounded: the connection of a server that sends
 * little else is closed.
 */
import type { Socket } from "node:net"
import type { Dispatcher } from "undici"
import {
  FRAMING_FREE_BYTES,
  FRAMING_PER_BODY_BYTE,
  FRAMING_PER_REQUEST_BYTES,
  INTERIM_RESPONSES_MAX
} from "../../../schemas/defaults/Wire.ts"

export interface Framing {
  /** Counts what is read from a connection. */
  readonly watch: (socket: Socket) => void
  /** Counts what of it is an answer. */
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
          handler.onResponseStart?.(controller, status, headers, words)
        },
        onResponseData: (controller, chunk) => {
          earn(chunk.byteLength * FRAMING_PER_BODY_BYTE)
          handler.onResponseData?.(controller, chunk)
        }
      })
    }
  }
}

/** Everything else of a handler, as it is. */
export const around = (handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler => ({
  onResponseStarted: () => handler.onResponseStarted?.(),
  onBodySent: (chunk) => handler.onBodySent?.(chunk),
  onRequestSent: () => handler.onRequestSent?.(),
  onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
  onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
  onResponseError: (...given) => handler.onResponseError?.(...given)
})
