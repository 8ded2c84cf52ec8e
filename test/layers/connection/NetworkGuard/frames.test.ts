import { assert, describe, it } from "@effect/vitest"
import { framePieces } from "../../../../src/layers/connection/NetworkGuard/frames.ts"
import {
  SOCKET_PART_MIN_BYTES,
  SOCKET_TURN_MAX_BYTES,
  SOCKET_TURN_MAX_FRAMES
} from "../../../../src/schemas/defaults/Gateway.ts"
import { frame } from "../../../support/webSocketFrames.ts"

const PING = 0x9

/** The pieces of what arrives in chunks of this size. */
const piecesOf = (bytes: Buffer, chunkBytes: number) => {
  let controls = 0
  const pieceOf = framePieces(() => void controls++)
  const pieces: Array<Buffer> = []
  let arrived = Buffer.alloc(0)
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    arrived = Buffer.concat([arrived, bytes.subarray(at, at + chunkBytes)])
    for (let size = pieceOf(arrived); size > 0; size = pieceOf(arrived)) {
      pieces.push(arrived.subarray(0, size))
      arrived = arrived.subarray(size)
    }
  }
  return { pieces, left: arrived.length, controls }
}

describe("pieces of a WebSocket", () => {
  const framesOf = (...sizes: ReadonlyArray<number>) =>
    Buffer.concat(
      sizes.flatMap((size) => [
        frame("x".repeat(size)),
        frame("p", PING),
        ...Array.from({ length: 40 }, () => frame("{"))
      ])
    )
  const small = framesOf(1, 0, 125, 126, 127, 4_095, 4_096, 4_097, 10_000)
  const large = framesOf(65_535, 65_536, SOCKET_TURN_MAX_BYTES - 4, SOCKET_TURN_MAX_BYTES, 300_000, 3)

  for (const [bytes, chunkBytes, pings] of [
    [small, 1, 9],
    [small, 7, 9],
    [large, 1_448, 6],
    [large, 65_536, 6],
    [large, large.length, 6]
  ] as const) {
    it(`contain all bytes of chunks of ${chunkBytes} bytes in order, each within the size limit`, () => {
      const { controls, left, pieces } = piecesOf(bytes, chunkBytes)
      assert.strictEqual(left, 0)
      assert.isTrue(Buffer.concat(pieces).equals(bytes))
      assert.strictEqual(controls, pings)
      assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), SOCKET_TURN_MAX_BYTES)
    })
  }

  it("contain a limited number of frames", () => {
    const { pieces } = piecesOf(Buffer.concat(Array.from({ length: 21_000 }, () => frame("{"))), 65_536)
    assert.isAtLeast(pieces.length, 21_000 / SOCKET_TURN_MAX_FRAMES)
    assert.isAtMost(Math.max(...pieces.map(({ length }) => length)), SOCKET_TURN_MAX_FRAMES * frame("{").length)
  })

  it("of a large frame that arrives slowly have a minimum size", () => {
    const bytes = frame("x".repeat(1024 * 1024))
    assert.isAtMost(piecesOf(bytes, 10).pieces.length, Math.ceil(bytes.length / SOCKET_PART_MIN_BYTES))
  })
})
