import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { PassThrough } from "node:stream"
import { promptLoop } from "../../../../src/programs/cli/prompt/prompt.ts"
import type { Completed } from "../../../../src/programs/cli/prompt/completion.ts"

const CTRL_C = "\u0003"
const CTRL_D = "\u0004"
/** As a terminal sends it that was asked to mark pastes. */
const PASTE = (text: string) => `\u001b[200~${text}\u001b[201~`

/** A prompt at a terminal that the test types into; `asked` has each line that was to be answered. */
const open = (
  answer: (line: string) => Effect.Effect<void> = () => Effect.void,
  complete?: (line: string) => Effect.Effect<Completed>
) =>
  Effect.gen(function* () {
    const input = new PassThrough()
    const output = new PassThrough()
    let all = ""
    output.setEncoding("utf8").on("data", (text: string) => (all += text))
    const asked = yield* Queue.unbounded<string>()
    const stopped = yield* Deferred.make<void>()
    const loop = yield* promptLoop({
      input,
      output,
      complete,
      answer: (line) => Effect.andThen(Queue.offer(asked, line), answer(line)),
      onStopped: () => Deferred.doneUnsafe(stopped, Effect.void)
    }).pipe(Effect.forkChild({ startImmediately: true }))
    return {
      type: (text: string) => input.write(text),
      asked,
      stopped: Deferred.await(stopped),
      /** Waits until what was shown matches. */
      shown: (pattern: RegExp) =>
        Effect.callback<void>((resume) => {
          const look = () => {
            if (pattern.test(all)) resume(Effect.void)
          }
          output.on("data", look)
          look()
        }),
      left: Fiber.await(loop)
    }
  })

describe("the prompt", () => {
  it.live("asks line by line, trimmed, and skips empty ones", () =>
    Effect.gen(function* () {
      const { asked, left, type } = yield* open()
      type("  hello \r\r\rworld\r/quit\r")
      yield* left
      assert.deepStrictEqual(yield* Queue.clear(asked), ["hello", "world"])
    })
  )

  it.live("/quit, exit, Ctrl-D and a second Ctrl-C leave at an empty prompt", () =>
    Effect.gen(function* () {
      for (const way of ["/quit\r", "exit\r", CTRL_D, `${CTRL_C}${CTRL_D}`]) {
        const { asked, left, type } = yield* open()
        type(way)
        assert.strictEqual((yield* left)._tag, "Success")
        assert.deepStrictEqual(yield* Queue.clear(asked), [])
      }
    })
  )

  it.live("the first Ctrl-C at an empty prompt says how to leave, and is forgotten when something is typed", () =>
    Effect.gen(function* () {
      const { asked, left, shown, type } = yield* open()
      type(CTRL_C)
      yield* shown(/again, or Ctrl-D, to leave/)
      type("hello\r")
      assert.strictEqual(yield* Queue.take(asked), "hello")
      type(CTRL_C)
      yield* shown(/to leave[^]*to leave/)
      type(CTRL_C)
      assert.strictEqual((yield* left)._tag, "Success")
    })
  )

  it.live("a pasted text of several lines is one input, sent by Enter", () =>
    Effect.gen(function* () {
      const { asked, left, type } = yield* open()
      type(`see: ${PASTE("one\rtwo\r\rthree")} and more\r`)
      assert.strictEqual(yield* Queue.take(asked), "see: one\ntwo\n\nthree and more")
      type(PASTE("gone\rtoo"))
      type(CTRL_C)
      type("hello\r/quit\r")
      yield* left
      assert.deepStrictEqual(yield* Queue.clear(asked), ["hello"])
    })
  )

  it.live("Tab completes what was begun", () =>
    Effect.gen(function* () {
      const { asked, shown, type } = yield* open(undefined, (line) => Effect.succeed([["/tools"], line]))
      type("/to\t")
      yield* shown(/\/tools/)
      type("\r")
      assert.strictEqual(yield* Queue.take(asked), "/tools")
      type("/quit\r")
    })
  )

  it.live("Ctrl-C on a line that was begun only clears it", () =>
    Effect.gen(function* () {
      const { asked, left, type } = yield* open()
      type("rm -rf /")
      type(CTRL_C)
      type("hello\r")
      assert.strictEqual(yield* Queue.take(asked), "hello")
      type(CTRL_D)
      yield* left
    })
  )

  it.live("Ctrl-C during an answer interrupts it, and the next line is asked", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const { asked, left, stopped, type } = yield* open((line) =>
        line === "long"
          ? Effect.never.pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)))
          : Effect.void
      )
      type("long\r")
      assert.strictEqual(yield* Queue.take(asked), "long")
      type(CTRL_C)
      yield* Deferred.await(interrupted)
      yield* stopped
      type("next\r")
      assert.strictEqual(yield* Queue.take(asked), "next")
      type("/quit\r")
      yield* left
    })
  )

  it.live("a second Ctrl-C while an answer is being stopped does not leave", () =>
    Effect.gen(function* () {
      const stopping = yield* Deferred.make<void>()
      const cleanedUp = yield* Deferred.make<void>()
      const { asked, left, type } = yield* open((line) =>
        line === "long"
          ? Effect.never.pipe(
              Effect.onInterrupt(() => Effect.andThen(Deferred.succeed(stopping, undefined), Deferred.await(cleanedUp)))
            )
          : Effect.void
      )
      type("long\r")
      assert.strictEqual(yield* Queue.take(asked), "long")
      type(CTRL_C)
      yield* Deferred.await(stopping)
      type(CTRL_C)
      yield* Effect.promise(() => new Promise(setImmediate))
      yield* Deferred.succeed(cleanedUp, undefined)
      type("next\r")
      assert.strictEqual(yield* Queue.take(asked), "next")
      type("/quit\r")
      yield* left
    })
  )

  it.live("what is typed during an answer is asked after it", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { asked, left, type } = yield* open((line) => (line === "first" ? Deferred.await(gate) : Effect.void))
      type("first\rsecond\r/quit\r")
      assert.strictEqual(yield* Queue.take(asked), "first")
      yield* Deferred.succeed(gate, undefined)
      yield* left
      assert.deepStrictEqual(yield* Queue.clear(asked), ["second"])
    })
  )
})
