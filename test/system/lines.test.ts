import { assert, describe, it } from "@effect/vitest"
import { Lines as AnyLines, type Line } from "../../src/system/lines.ts"
import { makeByteReader, type ByteReader } from "../../src/system/messageReader.ts"

class Lines extends AnyLines<ByteReader> {
  constructor(bytes: number, shape = { depth: 8, nodes: 1_000_000, parts: 100 }) {
    super(() => makeByteReader({ bytes, ...shape }))
  }
}

const read = (lines: Lines, ...chunks: ReadonlyArray<string>) =>
  chunks.flatMap((chunk) => [...lines.take(Buffer.from(chunk))]).map(shown)

const shown = (line: Line<ByteReader>) =>
  "refused" in line ? { id: line.id } : Buffer.from(line.message.bytes()).toString()

describe("lines of a stream", () => {
  it("are whole, however their bytes are split", () => {
    const lines = new Lines(100)
    assert.deepStrictEqual(read(lines, "on", "e\ntw", "o\n", "\nthr"), ["one", "two"])
    assert.deepStrictEqual([...lines.rest()].map(shown), ["thr"])
  })

  it("of exactly the limit pass, and longer ones are refused with the id of their request", () => {
    const lines = new Lines(40)
    const request = (id: unknown) => JSON.stringify({ jsonrpc: "2.0", id, method: "m" })
    const full = request(1).padEnd(40)
    assert.deepStrictEqual(read(lines, `${full}\n`), [full])
    assert.deepStrictEqual(read(lines, `${request(7).padEnd(41)}\nnext\n`), [{ id: 7 }, "next"])
    assert.deepStrictEqual(read(lines, `${request(7)}   `, "more and more", "\nnext\n"), [{ id: 7 }, "next"])
    assert.deepStrictEqual(read(lines, `${"x".repeat(50)}\n`), [{ id: null }])
  })

  it("that break a bound of JSON are refused with the id of their request, in any place", () => {
    const lines = new Lines(10_000)
    const deep = "[".repeat(9)
    assert.deepStrictEqual(read(lines, `{"jsonrpc":"2.0","id":7,"method":"m","params":${deep}`), [{ id: 7 }])
    assert.deepStrictEqual(read(lines, `${deep}\n{}\n`), ["{}"])
    assert.deepStrictEqual(read(lines, `{"method":"m","params":${deep}`), [])
    const shut = "]".repeat(9)
    assert.deepStrictEqual(read(lines, `${shut},"jsonrpc":"2.0","id":"se`, `ven"}\n`), [{ id: "seven" }])
    assert.deepStrictEqual(read(lines, `{"result":${deep}${shut},"jsonrpc":"2.0","id":7}\n`), [{ id: null }])
    assert.deepStrictEqual(read(lines, `{"method":"m","params":${deep}${shut.slice(1)},{"id":7}]}\n`), [{ id: null }])
    assert.deepStrictEqual(read(lines, `[${"1,".repeat(100)}${'"",'.repeat(101)}\n{}\n`), [{ id: null }, "{}"])
  })

  it("that are too long are not held in memory", () => {
    const lines = new Lines(64)
    for (let i = 0; i < 1_000; i++) assert.isEmpty(read(lines, "x".repeat(60)))
    assert.isAtMost(lines.heldBytes, 64)
  })

  it("of 200,000 one-byte pieces are read", () => {
    const pieces = 200_000
    const lines = new Lines(pieces)
    const piece = Buffer.from("x")
    for (let i = 0; i < pieces; i++) for (const line of lines.take(piece)) assert.fail(shown(line) as string)
    assert.deepStrictEqual(read(lines, "\n"), ["x".repeat(pieces)])
  })
})
