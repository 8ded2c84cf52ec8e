import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Terminal } from "../../../../src/programs/cli/output.ts"
import { makeQuestions } from "../../../../src/programs/cli/questions/questions.ts"
import { alone, CHOICE, QUESTION, withPrompt } from "./terminals.ts"

const CTRL_C = "\u0003"
const CTRL_D = "\u0004"

for (const [name, terminal] of [
  ["a prompt", withPrompt],
  ["a terminal without a prompt", alone]
] as const) {
  describe(`the question for an approval on ${name}`, () => {
    it.live("says who wants to call what with which arguments, and by which rule it is asked", () =>
      Effect.gen(function* () {
        const { ask, rows, type, until } = yield* terminal()
        const answer = yield* ask()
        yield* until(CHOICE)
        const shown = rows()
        const at = shown.findIndex((row) =>
          row.endsWith("The agent 'main' wants to call a tool that needs your approval:")
        )
        assert.deepStrictEqual(shown.slice(at + 1, at + 7), [
          "  │ server: files",
          "  │ tool: delete_file (mcp_files_delete_file)",
          "  │ why: ask: files/delete_*",
          "With these arguments:",
          '  │ path: "a.txt"',
          "  │ force: true"
        ])
        assert.isFalse(shown.some((row) => row.startsWith("Careful")))
        yield* type("y\r")
        assert.strictEqual(yield* Fiber.join(answer), "once")
        yield* until("(approved, this once)")
      })
    )

    it.live("says whose call it is and whom it waits for, and approves for nobody else for good", () =>
      Effect.gen(function* () {
        const { ask, rows, type, until } = yield* terminal()
        const answer = yield* ask({ ...QUESTION, caller: "ada (https://x)", approvers: ["bob", "group:leads"] })
        yield* until("[y]es / [s]ession / [n]o:")
        assert.include(rows(), "  │ whose call: ada (https://x)")
        assert.include(rows(), "  │ for approval by: bob or group:leads")
        assert.isFalse(rows().some((row) => row.includes("from now on")))
        yield* type("a\r")
        yield* type("s\r")
        assert.strictEqual(yield* Fiber.join(answer), "session")
        yield* until("(approved for their session)")
      })
    )

    for (const columns of [0, undefined]) {
      it.live(`breaks no word where the terminal does not know its width: ${columns}`, () =>
        Effect.gen(function* () {
          const { ask, rows, type, until } = yield* terminal(columns)
          const answer = yield* ask({ ...QUESTION, arguments: `path: "${"a".repeat(60)}"` })
          yield* until(CHOICE)
          assert.include(rows(), "  │ tool: delete_file (mcp_files_delete_file)")
          assert.include(rows(), `  │ path: "${"a".repeat(60)}"`)
          yield* type("n\r")
          yield* Fiber.join(answer)
        })
      )
    }

    it.live("fits a narrow terminal", () =>
      Effect.gen(function* () {
        const { ask, rows, type, until } = yield* terminal(30)
        const answer = yield* ask()
        yield* until(CHOICE)
        assert.include(rows(), "  │ les_delete_file)")
        yield* type("n\r")
        yield* Fiber.join(answer)
      })
    )

    it.live("takes a letter or a word, in any case; everything else asks again", () =>
      Effect.gen(function* () {
        const { ask, type, until } = yield* terminal()
        const cases = { y: "once", YES: "once", s: "session", session: "session", A: "always", always: "always" }
        for (const [typed, expected] of Object.entries({ ...cases, n: "deny", No: "deny" })) {
          const answer = yield* ask()
          for (const nothing of ["", "ye", "yy", "1", "ok", "y n", "d"]) {
            yield* until(CHOICE)
            yield* type(`${nothing}\r`)
          }
          yield* until(CHOICE)
          yield* type(`${typed}\r`)
          assert.strictEqual(yield* Fiber.join(answer), expected, typed)
        }
      })
    )

    it.live("is a no when it is dismissed", () =>
      Effect.gen(function* () {
        for (const key of [CTRL_C, CTRL_D]) {
          const { ask, type, until } = yield* terminal()
          const answer = yield* ask()
          yield* until(CHOICE)
          yield* type(key === CTRL_C ? `y${key}` : key)
          assert.strictEqual(yield* Fiber.join(answer), "deny")
          yield* until("(not called)")
        }
      })
    )

    it.live("cannot be imitated by what it shows", () =>
      Effect.gen(function* () {
        const { ask, rows, type, until } = yield* terminal()
        const answer = yield* ask({
          ...QUESTION,
          tool: `x\u001b[2J\n${CHOICE}`,
          arguments: `${"a".repeat(300)}\n(approved, this once)\u0007\n${CHOICE}`
        })
        yield* until("tool: x[2J\n")
        yield* until("(y: this once.")
        yield* until(CHOICE)
        yield* type("n\r")
        yield* Fiber.join(answer)
        assert.lengthOf(
          rows().filter((row) => row.startsWith("Call it?")),
          1
        )
        assert.isFalse(rows().some((row) => row.startsWith("(approved")))
        assert.isFalse(rows().some((row) => row.startsWith("aaa")))
      })
    )

    it.live("says when what was approved for good is not what it was", () =>
      Effect.gen(function* () {
        const { ask, type, until } = yield* terminal()
        const answer = yield* ask({ ...QUESTION, changed: true, arguments: "" })
        yield* until(
          "│ (none)\nCareful: you approved this tool before, but the tool, or how its server is\nstarted, has changed since."
        )
        yield* until(CHOICE)
        yield* type("n\r")
        assert.strictEqual(yield* Fiber.join(answer), "deny")
      })
    )

    it.live("lets no line of progress be shown while it is open", () =>
      Effect.gen(function* () {
        const state = yield* Terminal
        const { ask, type, until } = yield* terminal()
        const answer = yield* ask()
        yield* until(CHOICE)
        assert.strictEqual(state.questions, 1)
        yield* type("y\r")
        assert.strictEqual(yield* Fiber.join(answer), "once")
        assert.strictEqual(state.questions, 0)
      })
    )

    it.live("disappears when its call is cancelled", () =>
      Effect.gen(function* () {
        const { ask, until } = yield* terminal()
        const answer = yield* ask()
        yield* until(CHOICE)
        yield* Fiber.interrupt(answer)
        yield* until("(the question about 'mcp_files_delete_file' is withdrawn; what you typed for it is discarded)")
      })
    )
  })
}

describe("questions for approvals", () => {
  it.live("come one at a time, also with those of servers", () =>
    Effect.gen(function* () {
      const { ask, questions, rows, type, until } = yield* withPrompt()
      const first = yield* ask()
      yield* until(CHOICE)
      const second = yield* ask({ ...QUESTION, exposed: "second" })
      const third = yield* Effect.forkChild(
        questions.elicit({
          mode: "url",
          server: "hotel",
          message: "m",
          url: "https://a.example/",
          host: "a.example",
          elicitationId: undefined
        })
      )
      yield* Effect.yieldNow
      assert.isFalse(rows().some((row) => row.includes("second") || row.includes("hotel")))
      yield* type("n\r")
      yield* until("(second)")
      yield* until(CHOICE)
      yield* type("y\r")
      yield* until("or no: ")
      yield* type("no\r")
      assert.strictEqual(yield* Fiber.join(first), "deny")
      assert.strictEqual(yield* Fiber.join(second), "once")
      assert.deepStrictEqual(yield* Fiber.join(third), { action: "decline" })
    })
  )

  it.live("fail where there is no prompt to ask at", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(makeQuestions().approve(QUESTION)), "there is no prompt to ask at")
    })
  )
})
