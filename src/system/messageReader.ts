/**
 * Readers of JSON-RPC messages that check all limits while the text arrives. One decodes the text meanwhile, so that only parsing is left at the
 * end; the other one keeps the bytes for another parser.
 */
import { StringDecoder } from "node:string_decoder"
import { makeByteBounds } from "../schemas/connection/JsonBounds.ts"
import {
  misshapen,
  tooManyBytes,
  type Broken,
  type MessageBounds,
  type MessageReader
} from "../schemas/connection/JsonMessage.ts"

/** How much is decoded in one step. Smaller pieces are collected first. */
const BLOCK_BYTES = 64 * 1024
/** The memory of a parsed string, list or object, besides its characters. */
const PART_COSTS_BYTES = 100

/** Checks the size and structure of one message, and reports as soon as one of them exceeds its limit. */
const makeJudge = (bounds: MessageBounds) => {
  const shape = makeByteBounds(bounds)
  let size = 0
  return {
    judge: (bytes: Uint8Array): Broken | undefined => {
      size += bytes.length
      if (size > bounds.bytes) return tooManyBytes(bounds.bytes)
      return shape.pass(bytes) ? undefined : misshapen(shape.broken(), bounds)
    },
    weight: () => size + shape.parts() * PART_COSTS_BYTES
  }
}

/** Keeps bytes in one growing buffer, so that single bytes take no more memory than one large piece. */
export const makeRoom = (maxBytes: number) => {
  let room = Buffer.alloc(0)
  let size = 0
  return {
    size: () => size,
    add: (bytes: Uint8Array) => {
      if (size + bytes.length > room.length) {
        const larger = Buffer.allocUnsafe(Math.max(size + bytes.length, Math.min(room.length * 2, maxBytes)))
        room.copy(larger, 0, 0, size)
        room = larger
      }
      room.set(bytes, size)
      size += bytes.length
    },
    bytes: () => room.subarray(0, size),
    clear: () => {
      size = 0
    }
  }
}

export const makeMessageReader = (bounds: MessageBounds): MessageReader => {
  const { judge, weight } = makeJudge(bounds)
  const decoder = new StringDecoder("utf8")
  const room = makeRoom(BLOCK_BYTES)
  let text = ""

  const decode = () => {
    text += decoder.write(room.bytes())
    room.clear()
  }

  return {
    weight,
    push: (bytes) => {
      const broken = judge(bytes)
      if (broken !== undefined) return broken
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
        const part = bytes.subarray(at, at + BLOCK_BYTES)
        if (room.size() + part.length > BLOCK_BYTES) decode()
        room.add(part)
      }
      return undefined
    },
    read: () => {
      decode()
      try {
        return { value: JSON.parse(text + decoder.end()) }
      } catch {
        return undefined
      }
    }
  }
}

export interface ByteReader extends Pick<MessageReader, "push" | "weight"> {
  readonly bytes: () => Uint8Array
}

export const makeByteReader = (bounds: MessageBounds): ByteReader => {
  const { judge, weight } = makeJudge(bounds)
  const room = makeRoom(bounds.bytes)
  return {
    weight,
    push: (bytes) => {
      const broken = judge(bytes)
      if (broken === undefined) room.add(bytes)
      return broken
    },
    bytes: room.bytes
  }
}
