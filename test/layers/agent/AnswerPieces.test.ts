import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { readdirSync } from "node:fs"
import * as AnswerPiecesLayer from "../../../src/layers/agent/AnswerPieces.ts"
import * as RedactorLayer from "../../../src/layers/content/Redactor.ts"
import * as ResultStoreLayer from "../../../src/layers/call/ResultStore.ts"
import { ORDER_PIECE_MAX_BYTES, ORDER_PIECE_MAX_CHARS, ORDER_PIECES_MS } from "../../../src/schemas/defaults/Orders.ts"
import type { OrderMedia, OrderText } from "../../../src/schemas/agent/OrderAnswer.ts"
import { AnswerPieces } from "../../../src/services/agent/AnswerPieces.ts"
import { ada, bob } from "./Orders/orders.ts"
import { inFolder as folder } from "../../support/folder.ts"

const opened = Effect.fnUntraced(function* (options: ResultStoreLayer.Options) {
  const stores = ResultStoreLayer.layer(options).pipe(Layer.provide(RedactorLayer.layer))
  return yield* Effect.provide(AnswerPieces, yield* Layer.build(Layer.provide(AnswerPiecesLayer.layer, stores)))
})

const words: OrderText = { type: "text", text: "wort ".repeat(ORDER_PIECE_MAX_CHARS / 4) }
const pdf = (bytes: number, name = "a.pdf"): OrderMedia => ({
  type: "media",
  mediaType: "application/pdf",
  data: Buffer.alloc(bytes, name).toString("base64"),
  name,
  bytes
})

const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true }).filter((name) => /r-[0-9a-f]+-[0-9a-f]+$/.test(`${name}`))

describe("AnswerPieces", () => {
  it.effect("keeps large parts as pieces that can be read in any order", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const pieces = yield* opened({ directory })
      const [large, small] = [pdf(ORDER_PIECE_MAX_BYTES + 10), pdf(10, "b.pdf")]
      const linked = yield* pieces.keep(ada, [words, large, small])
      // It is out of the memory when that returns.
      assert.lengthOf(filesIn(directory), 3)
      const [text, two, one] = [words, large, small].map((part) => linked.get(part)!)
      assert.deepInclude(text, { name: "text-1.txt", mimeType: "text/plain", bytes: Buffer.byteLength(words.text) })
      assert.deepInclude(two, { name: "a.pdf", mimeType: "application/pdf", bytes: ORDER_PIECE_MAX_BYTES + 10 })
      const said = yield* Effect.forEach(text!.pieces.toReversed(), ({ uri }) => pieces.read(ada, uri))
      assert.isTrue(
        said
          .toReversed()
          .map((piece) => (piece !== undefined && "text" in piece ? piece.text : ""))
          .join("") === words.text
      )
      assert.lengthOf(two!.pieces, 2)
      const read = yield* Effect.forEach(two!.pieces, ({ uri }) => pieces.read(ada, uri))
      assert.isTrue(
        read.map((piece) => (piece !== undefined && "blob" in piece ? piece.blob : "")).join("") === large.data
      )
      // A piece of a PDF is none.
      assert.deepStrictEqual(
        [...two!.pieces, ...one!.pieces].map(({ mimeType }) => mimeType),
        ["application/octet-stream", "application/octet-stream", "application/pdf"]
      )
    })
  )

  it.effect("gives a client only its own pieces, and only for their exact URIs", () =>
    Effect.gen(function* () {
      const pieces = yield* opened({ directory: yield* folder })
      const { uri } = (yield* pieces.keep(ada, [words])).get(words)!.pieces[0]!
      assert.isDefined(yield* pieces.read(ada, uri))
      assert.isUndefined(yield* pieces.read(bob, uri))
      assert.isUndefined(yield* pieces.read({ ...ada, agent: "other" }, uri))
      for (const other of [uri.replace(/\/1\/1$/, "/1/9"), uri.replace(/\/1\/1$/, "/2/1"), `${uri}0`, "file:///x"]) {
        assert.isUndefined(yield* pieces.read(ada, other))
      }
    })
  )

  it.effect("removes pieces and their files after an hour", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const pieces = yield* opened({ directory })
      const { uri } = (yield* pieces.keep(ada, [words])).get(words)!.pieces[0]!
      yield* TestClock.adjust(ORDER_PIECES_MS - 1)
      assert.isDefined(yield* pieces.read(ada, uri))
      yield* TestClock.adjust(1)
      assert.isUndefined(yield* pieces.read(ada, uri))
      // The next one is written after what is removed.
      const small = pdf(10)
      yield* pieces.keep(ada, [small])
      assert.lengthOf(filesIn(directory), 1)
    })
  )

  it.effect("keeps nothing of an answer that is cancelled while it is stored", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      const pieces = yield* opened({ directory })
      const keeping = yield* Effect.forkChild(pieces.keep(ada, [words, pdf(10), pdf(20)]), { startImmediately: true })
      yield* Fiber.interrupt(keeping)
      // This one is written after what is removed.
      yield* pieces.keep(bob, [pdf(10)])
      assert.lengthOf(filesIn(directory), 1)
    })
  )

  it.effect("removes pieces of the client that has most of them when the store is full", () =>
    Effect.gen(function* () {
      const pieces = yield* opened({ directory: yield* folder, maxBytes: 3_000_000 })
      const keep = Effect.fnUntraced(function* (client: typeof ada, part: OrderMedia) {
        return (yield* pieces.keep(client, [part])).get(part)!.pieces[0]!.uri
      })
      const first = yield* keep(ada, pdf(800_000, "1"))
      const second = yield* keep(ada, pdf(800_000, "2"))
      const third = yield* keep(bob, pdf(800_000, "3"))
      assert.isUndefined(yield* pieces.read(ada, first))
      assert.isDefined(yield* pieces.read(ada, second))
      assert.isDefined(yield* pieces.read(bob, third))
      // What can never fit is told of.
      const huge = pdf(3_000_000, "4")
      assert.deepStrictEqual((yield* pieces.keep(ada, [huge])).get(huge)?.pieces, [])
    })
  )
})
