/**
 * The frames of a WebSocket. A reader processes all frames of a chunk in one turn of the event loop, and a chunk can have thousands, so they
 * are passed on a few per turn. After a piece that took long, there is a rest of the same length. A frame that arrives in small parts is
 * collected until there is enough of it. Nothing is compressed, so the size on the wire is the size that is read.
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

/** The size of the frame that begins there; `undefined` while it is not known. */
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

/** Whole frames, or a part of a large one. `onControl` is called for each ping, pong and close. */
export const framePieces = (onControl: () => void): PieceOf => {
  /** Bytes that are left of the current frame. */
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

/** One piece per turn, and a rest after a piece that took long. */
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

/** Removes the offer to compress, which undici adds. */
const withoutOffer = (options: Dispatcher.DispatchOptions): Dispatcher.DispatchOptions => {
  const { headers } = options
  if (!isObject(headers) || Symbol.iterator in headers) return options
  return { ...options, headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== EXTENSIONS)) }
}

/** For one WebSocket. `opened` gets its connection, which the caller destroys at the end. */
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
        // It may fail before there is a listener.
        connection.on("error", () => {})
        opened(connection)
        if (headers[EXTENSIONS] !== undefined) {
          connection.destroy()
          return handler.onResponseError?.(controller, new Error("the server uses an extension that was not offered"))
        }
        handler.onRequestUpgrade?.(controller, status, headers, connection)
      }
    })
