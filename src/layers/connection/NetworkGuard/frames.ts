/**
 * The frames of a WebSocket. Whoever reads one works on all frames of a chunk in one turn of the event loop, and a chunk has room
 * for thousands: so they are handed on a few in each turn. After a piece that took long, everybody else has as much time. A frame
 * that drips in is kept together until there is enough of it. Nothing is compressed, so that what arrives is what is read.
 */
import type { Socket } from "node:net"
import type { Dispatcher } from "undici"
import {
  SOCKET_PART_MIN_BYTES,
  SOCKET_TURN_MAX_BYTES,
  SOCKET_TURN_MAX_FRAMES
} from "../../../schemas/defaults/Gateway.ts"
import { STREAM_REST_MAX_MS, TURN_MS } from "../../../schemas/defaults/Wire.ts"
import { isObject } from "../../../schemas/data/Json.ts"
import { MeteredSocket, type PieceOf } from "../../../system/meteredSocket.ts"
import { around } from "./framing.ts"

const EXTENSIONS = "sec-websocket-extensions"
const CONTROL = 0x08
const MASKED = 0x80
const MASK_BYTES = 4
const LENGTH = 0x7f
const [LENGTH_16, LENGTH_64] = [126, 127]

/** All of a frame that begins there; `undefined` while its size is not known. */
const sizeAt = (bytes: Buffer, at: number): number | undefined => {
  if (bytes.length < at + 2) return undefined
  const second = bytes[at + 1]!
  const length = second & LENGTH
  const more = length === LENGTH_64 ? 8 : length === LENGTH_16 ? 2 : 0
  if (bytes.length < at + 2 + more) return undefined
  const head = 2 + more + ((second & MASKED) === 0 ? 0 : MASK_BYTES)
  if (more === 0) return head + length
  return head + (more === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2)))
}

/** Whole frames, or a part of one that is large. `onControl` is told of each ping, pong and farewell. */
export const framePieces = (onControl: () => void): PieceOf => {
  /** Of the frame that was begun. */
  let left = 0
  return (arrived) => {
    let end = 0
    for (let frames = 0; frames < SOCKET_TURN_MAX_FRAMES; frames++) {
      const isNew = left === 0
      const size = isNew ? sizeAt(arrived, end) : left
      if (size === undefined) break
      const room = Math.min(arrived.length, SOCKET_TURN_MAX_BYTES)
      if (end + size > room) {
        if (end > 0 || room < SOCKET_PART_MIN_BYTES) break
        left = size - room
        return room
      }
      if (isNew && (arrived[end]! & CONTROL) !== 0) onControl()
      left = 0
      end += size
    }
    return end
  }
}

/** One piece a turn, and a rest after one that took long. */
const inTurns = () => {
  let [isComing, restUntil] = [false, 0]
  return (one: MeteredSocket): void => {
    if (isComing) return
    isComing = true
    const hand = () => {
      isComing = false
      const from = performance.now()
      one.hand()
      const now = performance.now()
      if (now - from > TURN_MS) restUntil = now + Math.min(now - from, STREAM_REST_MAX_MS)
    }
    const restMs = restUntil - performance.now()
    if (restMs > 0) setTimeout(hand, restMs)
    else setImmediate(hand)
  }
}

/** Without the offer to compress that undici makes by itself. */
const withoutOffer = (options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions => {
  const { headers } = options
  if (!isObject(headers) || Symbol.iterator in headers) return options
  return { ...options, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== EXTENSIONS)) }
}

/** For one WebSocket. `opened` is given its connection, which whoever is done with it destroys. */
export const inFrames =
  (onControl: () => void, opened: (connection: MeteredSocket) => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(withoutOffer(options), {
      ...around(handler),
      onRequestStart: (...given) => handler.onRequestStart?.(...given),
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onRequestUpgrade: (controller, status, headers, socket) => {
        const connection = new MeteredSocket(socket as Socket, inTurns(), framePieces(onControl))
        // It may fail before somebody listens.
        connection.on("error", () => {})
        opened(connection)
        if (headers[EXTENSIONS] !== undefined) {
          connection.destroy()
          return handler.onResponseError?.(controller, new Error("the server uses an extension that was not offered"))
        }
        handler.onRequestUpgrade?.(controller, status, headers, connection)
      }
    })
