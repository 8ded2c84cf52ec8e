import { assert, describe, it } from "@effect/vitest"
import { withinBounds } from "../../../src/programs/acp/frames.ts"
import { STREAM_TURN_LINES } from "../../../src/schemas/defaults/Wire.ts"

/** What is given on, and what is answered, of a text in pieces of so many bytes. */
const read = async (text: string, maxBytes: number, piece: number) => {
  const answers: Array<{ readonly id: unknown; readonly error: { readonly code: number } }> = []
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, index) =>
    bytes.subarray(index * piece, (index + 1) * piece)
  )
  const lines = withinBounds({ bytes: maxBytes, depth: 16, nodes: 100, parts: 100 }, async (line) =>
    answers.push(JSON.parse(line))
  )
  const given: Array<Uint8Array> = []
  for await (const part of ReadableStream.from(pieces).pipeThrough(lines) as unknown as AsyncIterable<Uint8Array>) {
    given.push(part)
  }
  return { given: Buffer.concat(given).toString(), answers }
}

const long = (head: string) => `${head}"${"x".repeat(200)}"}`

describe("lines of an ACP client", () => {
  it("pass unchanged in chunks of any size, up to the limit", async () => {
    const text = `{"a":1}\n${"y".repeat(100)}\r\n{"ü":"ß"}\nthe last`
    for (const piece of [1, 2, 7, 64, 1_000]) {
      assert.deepStrictEqual(await read(text, 101, piece), { given: `${text}\n`, answers: [] })
    }
  })

  it("over the limit are answered with an error, and the other lines pass", async () => {
    for (const piece of [1, 13, 100, 10_000]) {
      const { answers, given } = await read(`first\n${"x".repeat(101)}\nsecond\n${"z".repeat(500)}`, 100, piece)
      assert.strictEqual(given, "first\nsecond\n")
      assert.deepStrictEqual(
        answers.map(({ error, id }) => [id, error.code]),
        [
          [null, -32_600],
          [null, -32_600]
        ]
      )
    }
  })

  it("over the limit are answered under the request's id when it is near the beginning", async () => {
    const of = async (head: string) => (await read(`${long(head)}\n`, 150, 16)).answers.map(({ id }) => id)
    assert.deepStrictEqual(await of('{"jsonrpc":"2.0","id":7,"method":"a","params":'), [7])
    assert.deepStrictEqual(await of(' { "id" : "seven", "jsonrpc" : "2.0", "method":'), ["seven"])
    // An answer, a notification, an id inside of something, and what cannot be told.
    for (const head of [
      '{"jsonrpc":"2.0","id":7,"result":',
      '{"jsonrpc":"2.0","method":"a","params":',
      '{"params":{"id":7,"method":"x"},"a":',
      '{"jsonrpc":"2.0","id":{},"method":',
      '{"jsonrpc":"2.0","id":"a\\u0041","method":'
    ]) {
      assert.deepStrictEqual(await of(head), [null], head)
    }
  })

  it("pass in limited numbers per turn of the event loop", async () => {
    const count = 32 * 1024
    const lines = withinBounds({ bytes: 100, depth: 16, nodes: 100, parts: 100 }, async () => {})
    const writer = lines.writable.getWriter()
    void writer.write(Buffer.from("1\n".repeat(count))).then(() => writer.close())
    const reading = { lines: 0, isOver: false }
    const read = (async () => {
      for await (const part of lines.readable as unknown as AsyncIterable<Uint8Array>) {
        if (part.length === 1 && part[0] === 0x0a) reading.lines++
      }
      reading.isOver = true
    })()
    const turns: Array<number> = []
    while (!reading.isOver) {
      const before = reading.lines
      await new Promise((resolve) => setImmediate(resolve))
      turns.push(reading.lines - before)
    }
    await read
    assert.strictEqual(reading.lines, count)
    assert.isAtMost(Math.max(...turns), 2 * STREAM_TURN_LINES)
  })
})
