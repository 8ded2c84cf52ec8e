import { assert, describe, it } from "@effect/vitest"
import { frameOf, framedJson, Frames } from "../../src/system/framedJson.ts"

const inPieces = (bytes: Buffer, size: number): ReadonlyArray<Buffer> =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))

describe("framedJson", () => {
  it("gives the same messages, however they are cut", () => {
    const texts = ["{}", `"ä€😀"`, "", `"${"x".repeat(1_000)}"`, "[1]"]
    const bytes = Buffer.concat(texts.map(frameOf))
    for (const size of [1, 3, 7, 500, bytes.length]) {
      const frames = new Frames()
      const read = inPieces(bytes, size).flatMap((piece) => frames.take(piece))
      assert.deepStrictEqual(read, texts)
    }
  })

  it("takes no message that is longer than the limit, as soon as its length is known", () => {
    const frames = new Frames(10)
    assert.throws(() => frames.take(frameOf("x".repeat(11)).subarray(0, 4)), /exceeded/)
  })

  it("carries values", () => {
    const [one, other] = [framedJson.makeUnsafe(), framedJson.makeUnsafe()]
    assert.deepStrictEqual(other.decode(one.encode({ a: ["€"] })!), [{ a: ["€"] }])
  })
})
