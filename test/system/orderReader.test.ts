import { assert, describe, it } from "@effect/vitest"
import { toBase64 } from "../../src/schemas/data/Base64.ts"
import { ORDER_MEDIA_MAX_BYTES, ORDER_TEXT_MAX_BYTES } from "../../src/schemas/defaults/Orders.ts"
import { canonical, isObject } from "../../src/schemas/data/Json.ts"
import { Medium } from "../../src/schemas/content/Medium.ts"
import { makeMessageReader } from "../../src/system/messageReader.ts"
import { makeOrderReader } from "../../src/system/orderReader.ts"
import { generator } from "../support/random.ts"

const reader = () =>
  makeOrderReader(makeMessageReader({ bytes: ORDER_TEXT_MAX_BYTES, depth: 128, nodes: 100_000, parts: 25_000 }))

/** With the bytes of each medium in its place. */
const shown = (value: unknown): unknown => {
  if (value instanceof Medium) return value.decoded
  if (Array.isArray(value)) return value.map(shown)
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)])) : value
}

/** In pieces of so many bytes: what is read, or why it is refused and how many bytes were taken until then. */
const readIn = (text: string, pieceBytes: number): unknown => {
  const bytes = Buffer.from(text)
  const one = reader()
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    // What is given may be overwritten afterwards.
    const piece = Buffer.from(bytes.subarray(at, at + pieceBytes))
    const broken = one.push(piece)
    piece.fill(0)
    if (broken !== undefined) return { ...broken, at: at + piece.length }
  }
  const read = one.read()
  return read === undefined ? undefined : shown(read.value)
}

const SIZES = [1, 2, 3, 7, 64, 65_536]
const whole = (text: string) => {
  const [first, ...others] = SIZES.map((size) => readIn(text, size))
  for (const other of others) assert.deepStrictEqual(other, first)
  return first
}

const bytesOf = (...given: ReadonlyArray<number>) => ({ bytes: new Uint8Array(given) })
const message = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${args}}}`
const args = (args: string) => {
  const read = whole(message(args))
  return (read as { readonly params: { readonly arguments: unknown } }).params.arguments
}

describe("a message with an agent request", () => {
  it("has the bytes of its media, however the message is split", () => {
    assert.deepStrictEqual(
      args(
        `{"message":"m","images":[{"data":"AQID","mimeType":"a"},{"mimeType":"b", "data" : "BA=="}],"files":[{"data":"BQY="}]}`
      ),
      {
        message: "m",
        images: [
          { data: bytesOf(1, 2, 3), mimeType: "a" },
          { mimeType: "b", data: bytesOf(4) }
        ],
        files: [{ data: bytesOf(5, 6) }]
      }
    )
  })

  it("has the bytes of the media in each message of a batch", () => {
    const list = `[${message('{"images":[{"data":"AQID"}]}')}, [["x"]], ${message('{"files":[{},{"data":"BA=="}]}')}]`
    assert.deepStrictEqual(
      (whole(list) as ReadonlyArray<{ readonly params?: { readonly arguments: unknown } }>).map(
        ({ params }) => params?.arguments
      ),
      [{ images: [{ data: bytesOf(1, 2, 3) }] }, undefined, { files: [{}, { data: bytesOf(4) }] }]
    )
  })

  it("decodes base64 with JSON escapes in it", () => {
    assert.deepStrictEqual(
      args(String.raw`{"images":[{"data":"\u002B\/A=","x":"\\"},{"data":"\u002b\u002FA\u003d"}]}`),
      {
        images: [{ data: bytesOf(0xfb, 0xf0), x: "\\" }, { data: bytesOf(0xfb, 0xf0) }]
      }
    )
  })

  it.each([
    ["nothing", "", "is empty"],
    ["white space", String.raw`AAAA\nAAAA`, "white space"],
    ["what is none of ASCII", "AAA\u00c4", "foreign character at position 4"],
    ["an escape of that", String.raw`AAA\u00c4`, "foreign character at position 4"],
    ["an escape that there is not", String.raw`AAA\x`, "foreign character at position 4"],
    ["an escape of no number", String.raw`AAA\u00zz`, "foreign character at position 4"],
    ["a quote in it", String.raw`AA\"A`, "foreign character at position 3"],
    ["the end of a URL", "data:image/png;base64,AAAA", "without the data: prefix"]
  ])("says what is wrong with base64 that has %s", (_, data, why) => {
    const read = args(`{"images":[{"data":"${data}"}]}`) as {
      readonly images: ReadonlyArray<{ readonly data: object }>
    }
    const medium = read.images[0]!.data
    assert.include("problem" in medium ? medium.problem : "", why)
  })

  it("keeps data as text where no medium is expected", () => {
    for (const text of [
      '{"data":"AQID"}',
      '{"images":{"data":"AQID"}}',
      '{"images":["AQID"]}',
      '{"images":[["AQID"]]}',
      '{"images":[{"data":["AQID"]}]}',
      '{"images":[{"data":{"data":"AQID"}}]}',
      '{"images":[{"x":{"images":[{"data":"AQID"}]}}]}',
      '{"x":{"images":[{"data":"AQID"}]}}',
      '{"message":"\\"images\\":[{\\"data\\":\\"AQID"}',
      '{"images":[{"x":"data"}, {"x":1,"data\\u0000":"AQID"}]}',
      '{"images":[{"\\u0064ata":"AQID"}]}',
      '{"images ":[{"data":"AQID"}]}',
      '"images"',
      "{}"
    ]) {
      assert.deepStrictEqual(args(text), JSON.parse(text), text)
    }
    const elsewhere = '{"arguments":{"images":[{"data":"AQID"}]},"params":[{"arguments":{"images":[{"data":"AQID"}]}}]}'
    assert.deepStrictEqual(whole(elsewhere), JSON.parse(elsewhere))
  })

  it("has the last of two members with the same name, as JSON.parse has", () => {
    assert.deepStrictEqual(args('{"images":[{"data":"AQID","data":"BA=="}],"images":[{"data":"BQY="}]}'), {
      images: [{ data: bytesOf(5, 6) }]
    })
  })

  it.each([
    '{"params":{"arguments":{"images":[{"data":"AQID',
    '{"params":{"arguments":{"images":[{"data":"AQID"}',
    "}{",
    "]]]",
    ""
  ])("is none where it is not JSON: %j", (text) => {
    assert.isUndefined(whole(text))
  })

  it("is equal to what JSON.parse gives, for random messages", () => {
    const { below, pick } = generator(7)
    const keys = ["params", "arguments", "images", "files", "data", "x"]
    const value = (key: string, depth: number): unknown => {
      const kind = depth > 6 ? 0 : below(3)
      if (kind === 0) return pick(["AQID", "BA==", 1, null, true, ...(key === "data" ? [] : ['"', "\\", '{"data":"'])])
      const members = Array.from({ length: 1 + below(2) }, () => pick(keys)).map((one) => [one, value(one, depth + 1)])
      return kind === 1 ? members.map(([, one]) => one) : Object.fromEntries(members)
    }
    const inBase64 = (given: unknown): unknown => {
      if (Array.isArray(given)) return given.map(inBase64)
      if (!isObject(given)) return given
      if (given["bytes"] instanceof Uint8Array) return toBase64(given["bytes"])
      return Object.fromEntries(Object.entries(given).map(([key, one]) => [key, inBase64(one)]))
    }
    for (let round = 0; round < 3_000; round++) {
      const images = [value("", 3), { data: pick(["AQID", "BA=="]), x: value("x", 4) }]
      const given = { params: { x: value("x", 2), arguments: { images, x: value("x", 3) } } }
      assert.deepStrictEqual(inBase64(readIn(JSON.stringify(given), 1 + below(9))), given)
    }
  })

  it("counts its media in its weight, from the first byte to the last", () => {
    const one = reader()
    const data = "A".repeat(64 * 1024)
    one.push(Buffer.from('{"params":{"arguments":{"images":[{"data":"'))
    one.push(Buffer.from(data))
    assert.isAtLeast(one.weight(), 48 * 1024)
    one.push(Buffer.from(`"},{"data":"${data}"}]}}}`))
    assert.isAtLeast(one.weight(), 2 * 48 * 1024)
    one.read()
    assert.isAtLeast(one.weight(), 2 * 48 * 1024)
    assert.isAtMost(one.weight(), 2 * 48 * 1024 + 8 * 1024)
  })

  it("does not show the random names that stand for media", () => {
    const one = reader()
    assert.isUndefined(one.push(Buffer.from(message('{"files":[{"data":"AQID"},{"data":0}]}'))))
    const names = JSON.stringify(one.read()).match(/[0-9a-f]{32}-\d/g)
    assert.isNull(names)
  })

  it("has the hash of a medium in its canonical form, not its bytes", () => {
    const same = (data: string) => {
      const one = reader()
      one.push(Buffer.from(message(`{"images":[{"data":"${data}"}]}`)))
      return canonical(one.read()!.value)
    }
    assert.strictEqual(same("AQID"), same(String.raw`\u0041QID`))
    assert.notStrictEqual(same("AQID"), same("AQIE"))
    assert.notInclude(same("AQID"), "AQID")
  })
})

describe("a message with an agent request that is too large", () => {
  const upTo = (head: string, unit: string) => {
    const one = reader()
    let broken = one.push(Buffer.from(head))
    let pieces = 0
    while (broken === undefined && pieces++ < 10_000) broken = one.push(Buffer.from(unit))
    return { broken, bytes: pieces * unit.length, one }
  }
  const PIECE = "A".repeat(64 * 1024)

  it("is refused with the name of the medium and the limit", () => {
    const { broken, bytes } = upTo('{"params":{"arguments":{"files":[{},{"data":"', PIECE)
    assert.deepStrictEqual(broken, { is: "size", message: "file 2 has more than 15,728,640 bytes (15 MB)" })
    assert.isAtMost(bytes, (ORDER_MEDIA_MAX_BYTES * 4) / 3 + PIECE.length)
  })

  it("is refused with the limit of media when it has too many", () => {
    const list = (one: string, many: number) =>
      message(`{"images":[${Array.from({ length: many }, () => one).join(",")}]}`)
    assert.deepInclude(readIn(list('{"data":"AQID"}', 11), 1), {
      is: "size",
      message: "there are more than 10 images, and an order may have 10"
    })
    assert.notProperty(readIn(list('{"data":"AQID"}', 10), 1), "is")
    const again = `{${Array.from({ length: 16 }, () => '"images":[{"data":"AQID"}]').join(",")}}`
    assert.deepInclude(readIn(message(again), 7), { is: "size" })
  })

  it("is refused when the rest of it is too large, and holds a bounded amount of memory", () => {
    for (const head of ['{"params":{"arguments":{"message":"', '{"params":{"arguments":{"images":["', '{"x":"']) {
      const { broken, bytes, one } = upTo(head, PIECE)
      assert.deepStrictEqual(broken, {
        is: "size",
        message: "Besides its images and files, a message may have 8388608 bytes, and this one has more"
      })
      assert.isAtMost(bytes, ORDER_TEXT_MAX_BYTES + PIECE.length)
      assert.isAtMost(one.weight(), 2 * ORDER_TEXT_MAX_BYTES)
    }
  })

  it("is refused when invalid base64 goes on without end", () => {
    const { broken, one } = upTo('{"params":{"arguments":{"files":[{"data":"', PIECE.replaceAll("A", "*"))
    assert.deepStrictEqual(broken, {
      is: "size",
      message: "A message may have 402653184 bytes, and this one has more"
    })
    assert.isAtMost(one.weight(), 64 * 1024)
  })

  it("is refused when its JSON is nested too deeply", () => {
    const { broken } = upTo('{"params":{"arguments":{"images":[{"data":"AQID"},', "[[[[[[[[[[")
    assert.strictEqual(broken?.is, "shape")
  })
})
