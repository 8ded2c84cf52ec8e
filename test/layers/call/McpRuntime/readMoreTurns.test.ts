/** Many readers of long results at the same time: others have their turns in between. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeReadMore } from "../../../../src/layers/call/McpRuntime/readMore.ts"
import { KEPT_TEXT_CHUNK_CHARS, READ_MORE_MAX_CHARS } from "../../../../src/schemas/defaults/Results.ts"
import { ContentSanitizer } from "../../../../src/services/content/ContentSanitizer.ts"
import { around } from "../../../support/around.ts"
import { sanitizer } from "../../../support/sanitizer.ts"

/** As many requests as a client may have, and the longest text that a server can send. */
const READERS = 256
const LENGTH = 16 * 1024 * 1024
/** How much of it each reader searches. */
const SEARCHED = 4 * KEPT_TEXT_CHUNK_CHARS

const text = "words ".repeat(KEPT_TEXT_CHUNK_CHARS / 2)

/** The most pieces that were read in one turn of the event loop, once each reader has begun. */
const mostInOneTurn = (args: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    let [pieces, before, most, isOver] = [0, READERS, 0, false]
    const slice = (from: number, to: number) => {
      pieces++
      return Effect.succeed(text.slice(0, to - from))
    }
    const kept = { origin: { server: "fs", tool: "read" }, length: LENGTH, slice }
    const store = { keep: () => undefined, read: () => Effect.undefined, open: () => Effect.succeed(kept) }
    const { run } = makeReadMore({ isReadable: () => true, store, sanitizer: yield* ContentSanitizer })
    const turn = () => {
      most = Math.max(most, pieces - before)
      before = Math.max(before, pieces)
      if (!isOver) setImmediate(turn)
    }
    const readers = yield* Effect.forEach(Array.from({ length: READERS }), () =>
      Effect.forkChild(run({ handle: "r-0123456789abcdef", ...args }, around()))
    )
    turn()
    const results = yield* Fiber.joinAll(readers)
    isOver = true
    assert.isTrue(results.every(({ isError }) => !isError))
    return { pieces, most }
  }).pipe(Effect.provide(sanitizer))

describe("mcp_read_more, with many concurrent calls", () => {
  it.live(
    "searches at most two chunks in one turn of the event loop",
    () =>
      Effect.gen(function* () {
        const { most, pieces } = yield* mostInOneTurn({ grep: "not there", length: SEARCHED })
        assert.strictEqual(pieces, (READERS * SEARCHED) / KEPT_TEXT_CHUNK_CHARS)
        assert.isAtMost(most, 2)
      }),
    120_000
  )

  it.live("sanitizes at most two parts in one turn of the event loop", () =>
    Effect.gen(function* () {
      const { steps } = yield* cleaned
      assert.isAtMost(steps, 2)
    })
  )
})

/** The most parts that were cleaned in one turn. */
const cleaned = Effect.gen(function* () {
  let [parts, before, steps, isOver] = [0, 0, 0, false]
  const own = yield* ContentSanitizer
  const counting = {
    ...own,
    wrap: (...given: Parameters<typeof own.wrap>) => {
      parts++
      return own.wrap(...given)
    }
  }
  const slice = (from: number, to: number) => Effect.succeed(text.slice(0, to - from))
  const kept = { origin: { server: "fs", tool: "read" }, length: LENGTH, slice }
  const store = { keep: () => undefined, read: () => Effect.undefined, open: () => Effect.succeed(kept) }
  const { run } = makeReadMore({ isReadable: () => true, store, sanitizer: counting })
  const turn = () => {
    steps = Math.max(steps, parts - before)
    before = parts
    if (!isOver) setImmediate(turn)
  }
  turn()
  const readers = yield* Effect.forEach(Array.from({ length: READERS }), () =>
    Effect.forkChild(run({ handle: "r-0123456789abcdef", length: READ_MORE_MAX_CHARS }, around()))
  )
  yield* Fiber.joinAll(readers)
  isOver = true
  assert.strictEqual(parts, READERS)
  return { steps }
}).pipe(Effect.provide(sanitizer))
