import { assert, describe, it } from "@effect/vitest"
import { Lines, type Line } from "../../src/system/lines.ts"

const read = (lines: Lines, ...chunks: ReadonlyArray<string>) =>
  chunks.flatMap((chunk) => [...lines.take(Buffer.from(chunk))]).map(shown)

const shown = (line: Line) => ("tooLong" in line ? line.tooLong : line.bytes.toString())

describe("lines", () => {
  it("are whole, however the bytes are cut up", () => {
    const lines = new Lines(100)
    assert.deepStrictEqual(read(lines, "on", "e\ntw", "o\n", "\nthr"), ["one", "two", ""])
    assert.deepStrictEqual([...lines.rest()].map(shown), ["thr"])
  })

  it("of exactly the limit pass; one byte more, and the line is passed over and told of by its id", () => {
    const lines = new Lines(40)
    const request = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "m" })
    const full = request(1).padEnd(40)
    assert.deepStrictEqual(read(lines, `${full}\n`), [full])
    assert.deepStrictEqual(read(lines, `${request(7).padEnd(41)}\nnext\n`), [{ id: 7 }, "next"])
    assert.deepStrictEqual(read(lines, `${request(7)}   `, "more and more", "\nnext\n"), [{ id: 7 }, "next"])
    assert.deepStrictEqual(read(lines, `${"x".repeat(50)}\n`), [{ id: null }])
  })

  it("hold no more than the limit, however much comes", () => {
    const lines = new Lines(64)
    for (let i = 0; i < 1_000; i++) assert.isEmpty(read(lines, "x".repeat(60)))
    assert.isAtMost(lines.heldBytes, 64)
  })

  it("of many small pieces take linear time", () => {
    const pieces = 200_000
    const lines = new Lines(pieces)
    const piece = Buffer.from("x")
    for (let i = 0; i < pieces; i++) for (const line of lines.take(piece)) assert.fail(shown(line) as string)
    assert.deepStrictEqual(read(lines, "\n"), ["x".repeat(pieces)])
  })
})
