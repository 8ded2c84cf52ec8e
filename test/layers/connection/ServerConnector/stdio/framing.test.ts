import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { makeLineReader } from "../../../../../src/layers/connection/ServerConnector/stdio/framing.ts"

const LIMIT = 1024

const read = (chunks: ReadonlyArray<Buffer>, limit = LIMIT) => {
  const lines: Array<string> = []
  const oversize: Array<[string, string]> = []
  const { push } = makeLineReader(limit, {
    onLine: (line) => lines.push(line),
    onOversize: (head, tail) => oversize.push([head, tail])
  })
  for (const chunk of chunks) push(chunk)
  return { lines, oversize }
}

const cut = (whole: Buffer, sizes: ReadonlyArray<number>) => {
  const chunks: Array<Buffer> = []
  let from = 0
  for (const size of [...sizes, whole.length]) {
    chunks.push(whole.subarray(from, from + size))
    from += size
  }
  return chunks
}

describe("framing", () => {
  it.prop(
    "gives the same lines for any split into chunks",
    [Schema.Array(Schema.String), Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 7 })))],
    ([texts, sizes]) => {
      const lines = texts.map((text) => text.toWellFormed().replaceAll("\n", " ")).filter((line) => line !== "")
      const whole = Buffer.from(lines.map((line) => `${line}\n`).join(""))
      assert.deepStrictEqual(read(cut(whole, sizes)).lines, lines)
    }
  )

  it("joins a character that arrives in single bytes", () => {
    const bytes = Buffer.from('{"text":"🧵ü"}\n')
    assert.deepStrictEqual(read([...bytes].map((byte) => Buffer.of(byte))).lines, ['{"text":"🧵ü"}'])
  })

  it("keeps a line until it has ended", () => {
    assert.deepStrictEqual(read([Buffer.from("no end")]).lines, [])
  })

  it("gives text without a line break as the last line at the end", () => {
    const lines: Array<string> = []
    const reader = makeLineReader(LIMIT, { onLine: (line) => lines.push(line), onOversize: () => {} })
    reader.push(Buffer.from("one\ntw"))
    reader.push(Buffer.from("o"))
    reader.end()
    reader.end()
    assert.deepStrictEqual(lines, ["one", "two"])
  })

  it("says whether the last chunk ended within a line", () => {
    const reader = makeLineReader(LIMIT, { onLine: () => {}, onOversize: () => {} })
    const isWithin = (text: string) => {
      reader.push(Buffer.from(text))
      return reader.isWithin()
    }
    assert.isTrue(isWithin("begins"))
    assert.isTrue(isWithin(" goes on"))
    assert.isFalse(isWithin(" ends\nand begins"))
    assert.isFalse(isWithin("x".repeat(LIMIT + 1)), "too long to be one")
  })

  it("skips a line over the limit, and keeps its beginning and end", () => {
    const long = `START${"x".repeat(5000)}END`
    for (const sizes of [[], [100, 100, 3000], Array.from({ length: 5008 }, () => 1)]) {
      const { lines, oversize } = read(cut(Buffer.from(`first\n${long}\nnext\n`), sizes))
      assert.deepStrictEqual(lines, ["first", "next"])
      assert.lengthOf(oversize, 1)
      assert.isTrue(oversize[0]![0].startsWith("START"))
      assert.isTrue(oversize[0]![1].endsWith("END"))
      assert.isAtMost(oversize[0]![0].length + oversize[0]![1].length, 1024)
    }
  })

  it("keeps as much of the beginning of such a line as its reader needs", () => {
    const heads: Array<string> = []
    const { push } = makeLineReader(LIMIT, { onLine: () => {}, onOversize: (head) => heads.push(head) }, LIMIT)
    for (const byte of Buffer.from(`${"x".repeat(5000)}\n`)) push(Buffer.of(byte))
    push(Buffer.from(`${"y".repeat(5000)}\n`))
    assert.deepStrictEqual(heads, ["x".repeat(LIMIT), "y".repeat(LIMIT)])
  })

  it("reports a line over the limit once, before it has ended", () => {
    for (const isEnough of [true, false]) {
      const told: Array<string> = []
      const reader = makeLineReader(LIMIT, {
        onLine: (line) => told.push(line),
        onOversize: () => told.push("oversize"),
        onOverflow: (head) => {
          told.push(head.slice(0, 5))
          return isEnough
        }
      })
      for (let written = 0; written < 10 * LIMIT; written += 100) reader.push(Buffer.from("START".padEnd(100, "x")))
      assert.deepStrictEqual(told, ["START"])
      reader.push(Buffer.from("\nnext\n"))
      assert.deepStrictEqual(told, ["START", ...(isEnough ? [] : ["oversize"]), "next"])
    }
  })

  it("uses no more memory for a line in single bytes than for one chunk", () => {
    const megabytes = 4
    const { push } = makeLineReader(megabytes * 2 ** 20, { onLine: () => {}, onOversize: () => {} })
    const before = process.memoryUsage().rss
    for (let byte = 0; byte < megabytes * 2 ** 20; byte++) push(Buffer.of(0x78))
    // Each of them kept would be about a hundred times as much.
    assert.isBelow((process.memoryUsage().rss - before) / 2 ** 20, 100)
  })

  it("stops after a line when asked, and returns the unread rest", () => {
    const lines: Array<string> = []
    const reader = makeLineReader(LIMIT, { onLine: (line) => lines.push(line), onOversize: () => {} })
    const rest = reader.push(Buffer.from("one\ntwo\nthr"), () => true)
    assert.deepStrictEqual([lines, rest?.toString()], [["one"], "two\nthr"])
    assert.isUndefined(reader.push(rest!, () => false))
    assert.isUndefined(
      reader.push(Buffer.from("ee\n"), () => true),
      "nothing is left"
    )
    assert.deepStrictEqual(lines, ["one", "two", "three"])
  })

  it("accepts a line of exactly the limit", () => {
    assert.deepStrictEqual(read([Buffer.from(`${"x".repeat(LIMIT)}\n`)]).lines, ["x".repeat(LIMIT)])
  })
})
