import { assert, describe, it } from "@effect/vitest"
import { bytesOf, endsOf, overOf, readPieceUri, sentOf, uriOfPiece } from "../../../src/schemas/agent/AnswerPieces.ts"
import { ORDER_PIECE_MAX_BYTES, ORDER_PIECE_MAX_CHARS } from "../../../src/schemas/defaults/Orders.ts"
import type { OrderPart } from "../../../src/schemas/agent/OrderAnswer.ts"

const text = (words: string): OrderPart => ({ type: "text", text: words })
const medium = (bytes: number): OrderPart => ({
  type: "media",
  mediaType: "application/pdf",
  data: Buffer.alloc(bytes, 7).toString("base64"),
  name: "a.pdf",
  bytes
})
const piecesOf = (part: OrderPart) =>
  endsOf(part).map((end, index, ends) => sentOf(part).slice(ends[index - 1] ?? 0, end))

const LINE_MAX_BYTES = 10 * 1024 * 1024

describe("the pieces of an answer", () => {
  it.each([
    ["controls", "\u0007"],
    ["characters of two units", "😀"],
    ["one unit beside them", "a😀"],
    ["characters of three bytes", "一"]
  ])("are the text, and each fits a line with whatever it holds: %s", (_, unit) => {
    const whole = unit.repeat((2.5 * ORDER_PIECE_MAX_CHARS) / unit.length)
    const pieces = piecesOf(text(whole))
    assert.isTrue(pieces.join("") === whole)
    assert.isAtLeast(pieces.length, 3)
    for (const piece of pieces) {
      assert.isTrue(piece.isWellFormed())
      assert.isBelow(Buffer.byteLength(JSON.stringify(piece)), LINE_MAX_BYTES)
    }
  })

  it("are the bytes of a medium, and each can be decoded by itself", () => {
    const part = medium(2 * ORDER_PIECE_MAX_BYTES + 1)
    const pieces = piecesOf(part).map((piece) => Buffer.from(piece, "base64"))
    assert.deepStrictEqual(
      pieces.map(({ length }) => length),
      [ORDER_PIECE_MAX_BYTES, ORDER_PIECE_MAX_BYTES, 1]
    )
    assert.isTrue(Buffer.concat(pieces).equals(Buffer.from(sentOf(part), "base64")))
    const ends = endsOf(part)
    assert.deepStrictEqual(
      ends.map((end, index) => bytesOf(part, ends[index - 1] ?? 0, end)),
      pieces.map(({ length }) => length)
    )
  })

  it("keep boundaries and the text between them in one piece", () => {
    const said = `<<<EXTERNAL_UNTRUSTED_CONTENT id="ab12">>>\nSource: x\n---\n${"w".repeat(1000)}\n<<<END_EXTERNAL_UNTRUSTED_CONTENT id="ab12">>>`
    for (const before of [500, 1000, said.length - 1, 20, 1, 0]) {
      const whole = `${"x".repeat(ORDER_PIECE_MAX_CHARS - before)}${said}${"y".repeat(100)}`
      const pieces = piecesOf(text(whole))
      assert.isTrue(pieces.join("") === whole)
      assert.lengthOf(
        pieces.filter((piece) => piece.includes(said)),
        1,
        `${before}`
      )
    }
    // One that is larger than a piece, or has no end, is cut all the same.
    const endless = `x<<<EXTERNAL_UNTRUSTED_CONTENT id="ab12">>>\n${"w".repeat(3 * ORDER_PIECE_MAX_CHARS)}`
    assert.isTrue(piecesOf(text(endless)).join("") === endless)
  })
})

describe("the part of an answer that a result holds", () => {
  it("is the whole answer when it fits", () => {
    assert.deepStrictEqual(overOf([text("a"), medium(3_000_000), text("b")]), [])
    assert.deepStrictEqual(overOf([]), [])
  })

  it("has words before media, and leaves the rest in order", () => {
    const [words, more, pdf, other] = [text("w".repeat(20_000)), text("v"), medium(30_000), medium(30_000)]
    assert.deepStrictEqual(overOf([pdf, words, other, more], 60_000), [pdf, other])
    assert.deepStrictEqual(overOf([pdf, words, other, more], 110_000), [other])
    assert.deepStrictEqual(overOf([pdf, words, other, more], 40_000), [pdf, words, other])
  })

  it("is measured by its size as JSON", () => {
    const controls = text("\u0007".repeat(10_000))
    assert.deepStrictEqual(overOf([controls], 100_000), [controls])
    assert.deepStrictEqual(overOf([text("a".repeat(10_000))], 100_000), [])
  })
})

describe("the URI of a piece", () => {
  it("is read back as it was written, and other URIs are undefined", () => {
    const address = { id: "a-_9".repeat(8), part: 3, piece: 12 }
    assert.deepStrictEqual(readPieceUri(uriOfPiece(address)), address)
    for (const uri of [
      "",
      "mcp-live://order/x/1/1",
      `${uriOfPiece(address)}/`,
      uriOfPiece({ ...address, id: "../x" })
    ]) {
      assert.isUndefined(readPieceUri(uri))
    }
  })
})
