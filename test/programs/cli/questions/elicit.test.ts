import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { PassThrough } from "node:stream"
import { promptLoop } from "../../../../src/programs/cli/prompt/prompt.ts"
import { makeQuestions } from "../../../../src/programs/cli/questions/questions.ts"
import type { ElicitationRequest } from "../../../../src/schemas/content/HostRequest.ts"
import type { JsonObject } from "../../../../src/schemas/data/Json.ts"

const CTRL_C = "\u0003"
const CTRL_D = "\u0004"
const UP = "\u001b[A"

const form = (properties: JsonObject, required: ReadonlyArray<string> = []): ElicitationRequest => ({
  mode: "form",
  server: "hotel",
  message: "Who travels?",
  requestedSchema: { type: "object", properties, required }
})

const NAME = form({ name: { type: "string" } })

const VISIT: ElicitationRequest = {
  mode: "url",
  server: "hotel",
  message: "Please pay",
  url: "https://pay.example/checkout?id=7",
  host: "pay.example",
  elicitationId: "e1"
}

/** A prompt at a terminal that the test types into and reads from. */
const open = (answer: (line: string) => Effect.Effect<void> = () => Effect.void) =>
  Effect.gen(function* () {
    const input = new PassThrough()
    const output = new PassThrough()
    let screen = ""
    let everything = ""
    const watchers = new Set<() => void>()
    output.setEncoding("utf8").on("data", (text: string) => {
      screen += text
      everything += text
      watchers.forEach((watcher) => watcher())
    })
    const asked = yield* Queue.unbounded<string>()
    const questions = makeQuestions()
    const loop = yield* promptLoop({
      input,
      output,
      answer: (line) => Effect.andThen(Queue.offer(asked, line), answer(line)),
      onStopped: () => output.write("(stopped)\n"),
      questions
    }).pipe(Effect.forkChild({ startImmediately: true }))
    return {
      type: (text: string) => Effect.sync(() => void input.write(text)),
      asked,
      questions,
      ask: (request: ElicitationRequest) => Effect.forkChild(questions.elicit(request)),
      screen: () => screen,
      /** All rows since the beginning, without what moves the cursor. */
      rows: () => everything.replace(/\u001b\[[0-9;]*[A-Za-z]|\r/g, "").split("\n"),
      /** Waits until the screen has shown so much since it was last looked at. */
      until: (text: string) =>
        Effect.callback<void>((resume) => {
          const check = () => {
            const at = screen.indexOf(text)
            if (at === -1) return
            screen = screen.slice(at + text.length)
            watchers.delete(check)
            resume(Effect.void)
          }
          watchers.add(check)
          check()
        }),
      left: Fiber.await(loop)
    }
  })

describe("a server's question on a terminal", () => {
  it.live("names the server, asks field by field, shows what will be sent, and sends it after a yes", () =>
    Effect.gen(function* () {
      const { ask, screen, type, until } = yield* open()
      const answer = yield* ask(
        form({ name: { type: "string", title: "Name" }, nights: { type: "integer", default: 2 } }, ["name"])
      )
      yield* until("The MCP server 'hotel' asks:")
      yield* until("│ Who travels?")
      yield* until("│ Name (text, required)\n")
      yield* until("Your answer: ")
      yield* type("Ada\r")
      yield* until("│ nights (whole number) [2]\n")
      yield* until("Your answer: ")
      yield* type("\r")
      yield* until("To be sent to 'hotel':")
      yield* until("Name: Ada")
      yield* until("nights: 2")
      yield* until("Send this to 'hotel'? [y]es / [n]o / [e]dit: ")
      yield* type("y\r")
      assert.deepStrictEqual(yield* Fiber.join(answer), { action: "accept", content: { name: "Ada", nights: 2 } })
      yield* until("(sent to 'hotel')")
      yield* until("> ")
      assert.notInclude(screen(), "Name")
    })
  )

  it.live("an empty line skips what need not be filled in, and nothing else", () =>
    Effect.gen(function* () {
      const { ask, type, until } = yield* open()
      const answer = yield* ask(form({ a: { type: "string" }, b: { type: "boolean" } }, ["b"]))
      yield* until("│ a (text)\n")
      yield* until("Your answer: ")
      yield* type("\r")
      yield* until("│ b (yes or no, required)\n")
      yield* until("Your answer: ")
      yield* type("\r")
      yield* until("This field is required; !decline refuses the whole question.")
      yield* type("perhaps\r")
      yield* until("This field must be yes or no; !decline refuses the whole question.")
      yield* type("no\r")
      yield* until("a: (nothing)")
      yield* type("yes\r")
      assert.deepStrictEqual(yield* Fiber.join(answer), { action: "accept", content: { b: false } })
    })
  )

  it.live(
    "nothing is sent without a yes: an empty line asks again, no declines, edit starts over with what was typed",
    () =>
      Effect.gen(function* () {
        const { ask, type, until } = yield* open()
        const answer = yield* ask(NAME)
        yield* until("│ name (text)\n")
        yield* until("Your answer: ")
        yield* type("Ada\r\re\r")
        yield* until("Send this to")
        yield* until("Send this to")
        yield* until("│ name (text) [Ada]\n")
        yield* until("Your answer: ")
        yield* type("Grace\ry\r")
        assert.deepStrictEqual(yield* Fiber.join(answer), { action: "accept", content: { name: "Grace" } })
        const refused = yield* ask(NAME)
        yield* until("│ name (text)\n")
        yield* until("Your answer: ")
        yield* type("Ada\rn\r")
        assert.deepStrictEqual(yield* Fiber.join(refused), { action: "decline" })
        yield* until("(declined)")
      })
  )

  it.live("!decline refuses at any field", () =>
    Effect.gen(function* () {
      const { ask, type, until } = yield* open()
      const answer = yield* ask(form({ a: { type: "string" }, b: { type: "integer" } }))
      yield* until("│ a (text)\n")
      yield* until("Your answer: ")
      yield* type("x\r!decline\r")
      assert.deepStrictEqual(yield* Fiber.join(answer), { action: "decline" })
    })
  )

  it.live("a field that need not be filled in is left empty with !empty, also one with a default", () =>
    Effect.gen(function* () {
      const { ask, type, until } = yield* open()
      const fields = { a: { type: "string", default: "A" }, b: { type: "string", default: "B" }, c: { type: "string" } }
      const answer = yield* ask(form(fields, ["b"]))
      yield* until("│ a (text) [A]\n")
      yield* until("Your answer: ")
      yield* type("!empty\r")
      yield* until("│ b (text) [B]\n")
      yield* until("Your answer: ")
      yield* type("!empty\r")
      yield* until("This field is required")
      yield* type("\r!empty\r")
      yield* until("a: (nothing)")
      // What is empty stays empty while the rest is edited.
      yield* type("e\r\r\r\ry\r")
      const { content } = (yield* Fiber.join(answer)) as { content?: unknown }
      assert.deepStrictEqual(content, { a: null, b: "B" })
    })
  )

  it.live("!mute refuses this and every further question of that server, also those that wait, and of no other", () =>
    Effect.gen(function* () {
      const { ask, questions, screen, type, until } = yield* open()
      const first = yield* ask(NAME)
      yield* until("Your answer: ")
      const queued = yield* ask({ ...NAME, message: "queued" })
      const other = yield* ask({ ...VISIT, server: "other" })
      yield* type("!mute\r")
      assert.deepStrictEqual(yield* Fiber.join(first), { action: "decline" })
      assert.deepStrictEqual(yield* Fiber.join(queued), { action: "decline" })
      yield* until("(declined, and so is whatever 'hotel' asks until you leave)")
      yield* until("The MCP server 'other' asks you")
      // Not even for the question of another server is there a wait.
      assert.deepStrictEqual(yield* questions.elicit(VISIT), { action: "decline" })
      yield* until("or no: ")
      yield* type("!mute\r")
      assert.deepStrictEqual(yield* Fiber.join(other), { action: "decline" })
      assert.deepStrictEqual(yield* questions.elicit({ ...NAME, server: "other" }), { action: "decline" })
      assert.notInclude(screen(), "queued")
    })
  )

  it.live("!mute and !decline are answers to the last look as well", () =>
    Effect.gen(function* () {
      const { ask, questions, type, until } = yield* open()
      for (const word of ["!decline", "!mute"]) {
        const answer = yield* ask(NAME)
        yield* until("Your answer: ")
        yield* type(`Ada\r${word}\r`)
        assert.deepStrictEqual(yield* Fiber.join(answer), { action: "decline" })
      }
      assert.deepStrictEqual(yield* questions.elicit(NAME), { action: "decline" })
    })
  )

  it.live("Ctrl-C dismisses only the question; the answer in progress continues", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const done = yield* Deferred.make<void>()
      const { ask, screen, type, until } = yield* open(() =>
        Effect.andThen(Deferred.await(gate), Deferred.succeed(done, undefined))
      )
      yield* type("hello\r")
      const answer = yield* ask(NAME)
      yield* until("│ name (text)\n")
      yield* until("Your answer: ")
      yield* type(`half${CTRL_C}`)
      assert.deepStrictEqual(yield* Fiber.join(answer), { action: "cancel" })
      yield* Deferred.succeed(gate, undefined)
      yield* Deferred.await(done)
      yield* until("> ")
      assert.notInclude(screen(), "(stopped)")
    })
  )

  it.live("Ctrl-D dismisses the question and leaves", () =>
    Effect.gen(function* () {
      const { ask, left, type, until } = yield* open()
      yield* type("begun")
      yield* until("begun")
      const answer = yield* ask(NAME)
      yield* until("Press Enter to see the question: ")
      yield* type("\r")
      yield* until("│ name (text)\n")
      yield* until("Your answer: ")
      yield* type(CTRL_D)
      assert.deepStrictEqual(yield* Fiber.join(answer), { action: "cancel" })
      assert.strictEqual((yield* left)._tag, "Success")
    })
  )

  it.live("what is typed at it is no message, and a line that was begun before comes back", () =>
    Effect.gen(function* () {
      const { ask, asked, type, until } = yield* open()
      yield* until("> ")
      yield* type("tell me")
      yield* until("tell me")
      const answer = yield* ask(NAME)
      yield* until("Press Enter to see the question: ")
      yield* type("\r")
      yield* until("│ name (text)\n")
      yield* until("Your answer: ")
      yield* type("Ada\ry\r")
      yield* Fiber.join(answer)
      yield* until("> ")
      yield* until("tell me")
      yield* type(" more\r")
      assert.strictEqual(yield* Queue.take(asked), "tell me more")
      assert.isEmpty(yield* Queue.clear(asked))
    })
  )

  it.live("what was told to a server is not offered with the arrow keys", () =>
    Effect.gen(function* () {
      const { ask, asked, type, until } = yield* open()
      yield* type("first\r")
      assert.strictEqual(yield* Queue.take(asked), "first")
      const answer = yield* ask(NAME)
      yield* until("│ name (text)\n")
      yield* until("Your answer: ")
      yield* type("secret\ry\r")
      yield* Fiber.join(answer)
      yield* until("> ")
      yield* type(`${UP}\r`)
      assert.strictEqual(yield* Queue.take(asked), "first")
    })
  )

  it.live("one question at a time: the next one waits", () =>
    Effect.gen(function* () {
      const { ask, screen, type, until } = yield* open()
      const first = yield* ask(NAME)
      yield* until("│ name (text)\n")
      yield* until("Your answer: ")
      const second = yield* ask({ ...NAME, server: "other" })
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.notInclude(screen(), "other")
      yield* type("Ada\ry\r")
      yield* Fiber.join(first)
      yield* until("The MCP server 'other' asks:")
      yield* type("Grace\ry\r")
      assert.deepStrictEqual(yield* Fiber.join(second), { action: "accept", content: { name: "Grace" } })
    })
  )

  it.live("what is to be shown meanwhile waits for the end of the question", () =>
    Effect.gen(function* () {
      const { ask, questions, type, until } = yield* open()
      const answer = yield* ask(NAME)
      yield* until("│ name (text)\n")
      yield* until("Your answer: ")
      let shown = false
      const showing = yield* questions.betweenQuestions(Effect.sync(() => (shown = true))).pipe(Effect.forkChild)
      yield* Effect.promise(() => new Promise(setImmediate))
      assert.isFalse(shown)
      yield* type("Ada\ry\r")
      yield* Fiber.join(answer)
      yield* Fiber.join(showing)
      assert.isTrue(shown)
    })
  )

  it.live("a server that takes its question back gives the prompt back", () =>
    Effect.gen(function* () {
      const { ask, asked, type, until } = yield* open()
      const answer = yield* ask(NAME)
      yield* until("│ name (text)\n")
      yield* until("Your answer: ")
      yield* type("half")
      yield* Fiber.interrupt(answer)
      yield* until("('hotel' has withdrawn its question; what you typed for it is discarded)")
      yield* until("> ")
      yield* type("hello\r")
      assert.strictEqual(yield* Queue.take(asked), "hello")
    })
  )

  it.live("an address is shown completely, with its host on a separate line, and is never opened", () =>
    Effect.gen(function* () {
      const { ask, type, until } = yield* open()
      const answer = yield* ask(VISIT)
      yield* until("│ Please pay")
      yield* until("\nHost: pay.example\nAddress:\nhttps://pay.example/checkout?id=7\n")
      yield* until("mcp-live does not open it.")
      yield* until("Type done when you have, or no: ")
      yield* type("y\r")
      yield* until("Type done when you have, or no: ")
      yield* type("done\r")
      assert.deepStrictEqual(yield* Fiber.join(answer), { action: "accept" })
      yield* until("(sent to 'hotel')")
      const refused = yield* ask(VISIT)
      yield* until("Type done when you have, or no: ")
      yield* type("no\r")
      assert.deepStrictEqual(yield* Fiber.join(refused), { action: "decline" })
    })
  )

  it.live("a message cannot pass for our own lines", () =>
    Effect.gen(function* () {
      const { ask, screen, type, until } = yield* open()
      const answer = yield* ask({ ...VISIT, message: `a\nHost: bank.example\n${" ".repeat(300)}Host: bank.example` })
      yield* until("asks you to visit an address:")
      yield* until("│ a\n")
      const shown = screen().split("Type done")[0]!
      assert.deepStrictEqual(
        shown.split("\n").filter((line) => line.trimStart().startsWith("Host:")),
        ["Host: pay.example"]
      )
      yield* type("no\r")
      yield* Fiber.join(answer)
    })
  )

  it.live(
    "no title, description, default or choice can pass for our own lines, however long: each of their rows has the bar",
    () =>
      Effect.gen(function* () {
        const { ask, rows, type, until } = yield* open()
        const sudo = "[sudo] password for ada:"
        const forged = `${" x".repeat(58)}  Send this to 'bank'? [y]es / [n]o / [e]dit: `
        const answer = yield* ask(
          form({
            a: { type: "string", title: sudo, description: forged, default: forged },
            b: { type: "string", oneOf: [{ const: "v", title: forged }], title: forged }
          })
        )
        yield* until("Your answer: ")
        yield* type("\r9\rv\r")
        yield* until("This field must be one of the choices")
        yield* until("Send this to 'hotel'?")
        yield* type("n\r")
        yield* Fiber.join(answer)
        const theirs = rows().filter((row) => /sudo|bank/.test(row))
        assert.isAbove(theirs.length, 5)
        for (const row of theirs) assert.match(row, /^ {2}│ /)
        for (const row of rows()) assert.isAtMost(row.length, 120)
      })
  )

  const warning = "Careful: this address contains characters that look like others."
  const addresses: ReadonlyArray<readonly [string, boolean]> = [
    ["xn--pple-43d.example", true],
    ["login.xn--bnk-6ec.example", true],
    ["apple.example", false],
    ["axn--b.example", false]
  ]
  for (const [host, warned] of addresses) {
    it.live(`${host} is shown ${warned ? "with" : "without"} a warning of characters that imitate others`, () =>
      Effect.gen(function* () {
        const { ask, screen, type, until } = yield* open()
        const answer = yield* ask({ ...VISIT, host, url: `https://${host}/` })
        yield* until("│ Please pay")
        yield* type("no\r")
        yield* Fiber.join(answer)
        const shown = screen()
        assert.strictEqual(shown.includes(`\nHost: ${host}\n${warning}`), warned)
        assert.strictEqual(shown.includes("Careful"), warned)
      })
    )
  }

  it.live("without a prompt (not yet, or no longer) the answer is cancel, not decline", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* makeQuestions().elicit(NAME), { action: "cancel" })
      const { left, questions, screen, type } = yield* open()
      yield* type("/quit\r")
      yield* left
      assert.deepStrictEqual(yield* questions.elicit(NAME), { action: "cancel" })
      assert.notInclude(screen(), "hotel")
    })
  )
})
