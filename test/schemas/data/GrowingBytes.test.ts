import { assert, describe, it } from "@effect/vitest"
import { GrowingBytes } from "../../../src/schemas/data/GrowingBytes.ts"

describe("growing bytes", () => {
  it("are in order, however many are pushed at once", () => {
    const bytes = new GrowingBytes()
    const expected: Array<number> = []
    for (let round = 0; round < 3_000; round++) {
      bytes.push(round, round + 1)
      bytes.room(5).fill(7, bytes.size, bytes.size + 5)
      bytes.taken(round % 6)
      expected.push(round & 0xff, (round + 1) & 0xff, ...Array.from({ length: round % 6 }, () => 7))
    }
    assert.deepStrictEqual([...bytes.since(expected.length - 4)], expected.slice(-4))
    const all = bytes.end()
    assert.deepStrictEqual([...all], expected)
    assert.strictEqual(all.buffer.byteLength, expected.length)
    assert.strictEqual(bytes.size, 0)
  })

  it("release the buffer that they grow out of", () => {
    const bytes = new GrowingBytes()
    bytes.push(1)
    const before = bytes.since(0)
    bytes.room(1024 * 1024)
    assert.strictEqual(before.buffer.byteLength, 0)
  })

  it("take little more memory than their size", () => {
    const bytes = new GrowingBytes()
    for (let count = 0; count < 4_000; count++) {
      const room = bytes.room(1_000)
      bytes.taken(1_000)
      assert.isAtMost(room.length, Math.max(8 * 1024, 1.26 * bytes.size))
    }
  })
})
