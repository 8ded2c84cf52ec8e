/** A question is answered by nothing that was typed before it was shown. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { untilTypedIsRead } from "../../../../src/programs/cli/questions/typedBefore.ts"
import { alone, CHOICE, QUESTION, withPrompt } from "./terminals.ts"

const GATE = "Press Enter to see the question: "

const oneTurn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

for (const [name, terminal] of [
  ["a prompt", withPrompt],
  ["a terminal without a prompt", alone]
] as const) {
  describe(`what was typed before a question on ${name}`, () => {
    for (const [begun, rest] of [
      ["y", "\r"],
      ["", "y\r"],
      ["y\r\u001b[200~y\ry", "\u001b[201~\ry\ry\r"]
    ] as const) {
      it.live(`is not answered by ${JSON.stringify([begun, rest])} that was typed for one that was withdrawn`, () =>
        Effect.gen(function* () {
          const { ask, rows, type, until } = yield* terminal()
          const withdrawn = yield* ask({ ...QUESTION, exposed: "first" })
          yield* until(CHOICE)
          // It is withdrawn before it has read what was typed.
          yield* type(begun)
          yield* Fiber.interrupt(withdrawn)
          const answer = yield* ask()
          yield* until(GATE)
          assert.isFalse(rows().some((row) => row.includes("mcp_files_delete_file")))
          yield* type(rest)
          yield* until("tool: delete_file")
          yield* until(CHOICE)
          yield* type("n\r")
          assert.strictEqual(yield* Fiber.join(answer), "deny")
          const next = yield* ask()
          yield* until(CHOICE)
          yield* type("y\r")
          assert.strictEqual(yield* Fiber.join(next), "once")
          assert.lengthOf(
            rows().filter((row) => row.includes(GATE)),
            1
          )
        })
      )
    }

    it.live("is no answer if it was not sent when the terminal is gone", () =>
      Effect.gen(function* () {
        const { ask, input, type, until } = yield* terminal()
        const answer = yield* ask()
        yield* until(CHOICE)
        yield* type("y")
        input.end()
        assert.strictEqual(yield* Fiber.join(answer), "deny")
      })
    )
  })
}

describe("questions for approvals", () => {
  it.live("are not answered by what was typed before there was a prompt", () =>
    Effect.gen(function* () {
      const { ask, type, until } = yield* alone()
      yield* type("y\rs\ry")
      const answer = yield* ask()
      yield* until(CHOICE)
      yield* type("\r")
      yield* until(CHOICE)
      yield* type("n\r")
      assert.strictEqual(yield* Fiber.join(answer), "deny")
    })
  )

  it.live("are not answered by what was typed for a server's question that was withdrawn", () =>
    Effect.gen(function* () {
      const { ask, questions, type, until } = yield* withPrompt()
      const withdrawn = yield* Effect.forkChild(
        questions.elicit({
          mode: "form",
          server: "hotel",
          message: "m",
          requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } }
        })
      )
      yield* until("Your answer: ")
      const answer = yield* ask()
      yield* type("y")
      yield* Fiber.interrupt(withdrawn)
      yield* until("('hotel' has withdrawn its question; what you typed for it is discarded)")
      yield* until(GATE)
      yield* type("y\r")
      yield* until(CHOICE)
      yield* type("n\r")
      assert.strictEqual(yield* Fiber.join(answer), "deny")
    })
  )

  for (const [what, begun, rest] of [
    ["a line", "please sa", "y\r"],
    ["pasted lines", "\u001b[200~one\ry", "\ry\ry\u001b[201~\r"],
    ["pasted lines that wait for Enter", "\u001b[200~one\r\u001b[201~", "y\r"]
  ] as const) {
    it.live(`are not answered by ${what} begun while an answer runs`, () =>
      Effect.gen(function* () {
        const { ask, type, until } = yield* withPrompt(undefined, Effect.never)
        yield* type("go on\r")
        yield* type(begun)
        const answer = yield* ask()
        yield* until(GATE)
        yield* type(rest)
        yield* until(CHOICE)
        yield* type("y\r")
        assert.strictEqual(yield* Fiber.join(answer), "once")
      })
    )
  }

  it.live("are not answered by any line of a paste that began before", () =>
    Effect.gen(function* () {
      const { ask, type, until } = yield* withPrompt(undefined, Effect.never)
      yield* type("go on\r\u001b[200~")
      const answer = yield* ask()
      yield* until(GATE)
      yield* type("y\rz")
      yield* until("z")
      yield* untilTypedIsRead
      yield* untilTypedIsRead
      yield* type("y\ry\u001b[201~\r")
      yield* until(CHOICE)
      yield* type("n\r")
      assert.strictEqual(yield* Fiber.join(answer), "deny")
    })
  )

  it.live("are not answered by input that was typed before", () =>
    Effect.gen(function* () {
      const { questions, type, until } = yield* withPrompt(undefined, Effect.never)
      const answer = yield* Effect.forkChild(questions.approve(QUESTION), { startImmediately: true })
      yield* type("y\r")
      yield* until(CHOICE)
      yield* type("n\r")
      assert.strictEqual(yield* Fiber.join(answer), "deny")
    })
  )

  it.live("discard pending input when they are withdrawn", () =>
    Effect.gen(function* () {
      let messages = 0
      const answered = yield* Deferred.make<void>()
      const { ask, type, until } = yield* withPrompt(
        undefined,
        Effect.suspend(() => {
          messages++
          return Deferred.succeed(answered, undefined)
        })
      )
      const withdrawn = yield* ask()
      yield* until(CHOICE)
      const gone = yield* Effect.forkChild(Fiber.interrupt(withdrawn), { startImmediately: true })
      yield* until("is withdrawn")
      yield* oneTurn
      yield* type("y\r")
      yield* Fiber.join(gone)
      yield* type("hello\r")
      yield* Deferred.await(answered)
      assert.strictEqual(messages, 1)
      yield* untilTypedIsRead
      assert.strictEqual(messages, 1)
    })
  )

  it.live("need no extra Enter after a question that gave a line back", () =>
    Effect.gen(function* () {
      const { ask, type, until } = yield* withPrompt()
      yield* type("please")
      const answers = [yield* ask(), yield* ask()]
      yield* until(GATE)
      yield* type("\r")
      for (const answer of answers) {
        yield* until(CHOICE)
        yield* type("y\r")
        assert.strictEqual(yield* Fiber.join(answer), "once")
      }
    })
  )
})
