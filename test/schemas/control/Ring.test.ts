import { assert, describe, it } from "@effect/vitest"
import { makeRing } from "../../../src/schemas/control/Ring.ts"

const filled = (max: number, seqs: ReadonlyArray<number>) => {
  const ring = makeRing<string>(max)
  for (const seq of seqs) ring.push(seq, `v${seq}`)
  return ring
}
const seqsOf = (kept: ReadonlyArray<{ readonly seq: number }>) => kept.map(({ seq }) => seq)

describe("the last of many things", () => {
  it("are kept up to their number, the oldest first", () => {
    assert.deepStrictEqual(seqsOf(filled(3, [1, 2]).all()), [1, 2])
    assert.deepStrictEqual(seqsOf(filled(3, [1, 2, 3, 4, 5]).all()), [3, 4, 5])
    assert.deepStrictEqual(makeRing(3).all(), [])
  })

  it("are given after a number, also one that is not kept", () => {
    const ring = filled(4, [2, 4, 6, 8, 10])
    assert.deepStrictEqual(seqsOf(ring.after(5, 9)), [6, 8, 10])
    assert.deepStrictEqual(seqsOf(ring.after(6, 9)), [8, 10])
    assert.deepStrictEqual(seqsOf(ring.after(0, 2)), [4, 6])
    assert.deepStrictEqual(seqsOf(ring.after(10, 9)), [])
  })

  it("are found by their number as long as they are kept", () => {
    const ring = filled(2, [1, 3, 5])
    assert.deepStrictEqual([1, 3, 4, 5, 6].map(ring.at), [undefined, "v3", undefined, "v5", undefined])
  })
})
