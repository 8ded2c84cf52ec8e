import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { call, media, methods, newSession, prompt, start, updatesOf, type Options } from "./client.ts"

const NOTE = "mcp__media__write_note"

const config = { mcp: { servers: {} }, gateway: { tools: { ask: ["media/write_note", "media/media"] } } }

const selected = (optionId: unknown) => ({ outcome: { outcome: "selected", optionId } })

/** Answers in turn; the last one for ever after. */
const answering = (...answers: ReadonlyArray<unknown>): Options => {
  let asked = 0
  return { config, answer: () => answers[Math.min(asked++, answers.length - 1)] }
}

describe("a tool that an ask rule is about, in an editor's session", () => {
  it.live("is called after a yes, each time anew; the question shows what would be sent and what asks", () =>
    Effect.gen(function* () {
      const editor = yield* start(answering(selected("allow_once"), selected("reject_once")))
      const session = yield* newSession(editor, [media()])
      assert.strictEqual((yield* call(editor, session, NOTE, { text: "one" })).text, '{"text":"one"}')
      assert.strictEqual((yield* call(editor, session, NOTE, { text: "two" })).status, "failed")
      const [question, ...more] = editor.asked
      assert.lengthOf(more, 1)
      assert.deepStrictEqual(
        question?.options.map(({ kind }) => kind),
        ["allow_once", "allow_always", "reject_once", "reject_always"]
      )
      const { toolCall } = question!
      const told = updatesOf(editor, session).find((update) => update.sessionUpdate === "tool_call")
      assert.strictEqual(toolCall.toolCallId, Reflect.get(told!, "toolCallId"))
      const text = JSON.stringify(toolCall.content)
      for (const part of ["media", "write_note", "ask: media/write_note", 'text: \\"one\\"']) {
        assert.include(text.replaceAll('\\\\\\"', '\\"'), part)
      }
    })
  )

  it.live("is never said to be harmless because its server says so", () =>
    Effect.gen(function* () {
      const editor = yield* start(answering(selected("reject_once")))
      const session = yield* newSession(editor, [media()])
      yield* call(editor, session, "mcp__media__media")
      assert.strictEqual(editor.asked[0]?.toolCall.kind, "other")
    })
  )

  it.live(
    "after always is not asked about again, nor in the next session; a rejection for good holds for its session",
    () =>
      Effect.gen(function* () {
        const editor = yield* start(
          answering(selected("reject_always"), selected("allow_always"), selected("reject_once"))
        )
        const first = yield* newSession(editor, [media()])
        assert.strictEqual((yield* call(editor, first, NOTE)).status, "failed")
        assert.strictEqual((yield* call(editor, first, NOTE)).status, "failed")
        assert.lengthOf(editor.asked, 1)
        const second = yield* newSession(editor, [media()])
        assert.strictEqual((yield* call(editor, second, NOTE)).status, "completed")
        assert.strictEqual((yield* call(editor, second, NOTE)).status, "completed")
        assert.lengthOf(editor.asked, 2)
        const third = yield* newSession(editor, [media()])
        assert.strictEqual((yield* call(editor, third, NOTE)).status, "completed")
        // Another program behind the same name is asked about.
        const fourth = yield* newSession(editor, [media("media", "--tools=1")])
        assert.strictEqual((yield* call(editor, fourth, NOTE)).status, "failed")
        assert.lengthOf(editor.asked, 3)
      })
  )

  it.live("is not called after anything that is no answer", () =>
    Effect.gen(function* () {
      const nonsense = [
        { outcome: { outcome: "cancelled" } },
        selected("yes"),
        selected("__proto__"),
        selected(""),
        { outcome: { outcome: "selected", optionId: "allow_once " } }
      ]
      const editor = yield* start(answering(...nonsense))
      const session = yield* newSession(editor, [media()])
      for (const _ of nonsense) assert.strictEqual((yield* call(editor, session, NOTE)).status, "failed")
      assert.lengthOf(editor.asked, nonsense.length)
      // Answers that are malformed do not even get as far.
      const rude = yield* start({ config, answer: () => ({ outcome: "allow_once" }) })
      const other = yield* newSession(rude, [media()])
      assert.strictEqual((yield* call(rude, other, NOTE)).status, "failed")
    })
  )

  it.live("is not called when the turn is cancelled while the person thinks", () =>
    Effect.gen(function* () {
      const editor = yield* start({ config })
      const session = yield* newSession(editor, [media()])
      const turn = yield* Effect.forkChild(prompt(editor, session, `/call ${NOTE} {}`))
      yield* Effect.promise(() => editor.untilAsked)
      yield* Effect.promise(() => editor.agent.notify(methods.session.cancel, { sessionId: session }))
      assert.deepStrictEqual(yield* Fiber.join(turn), { stopReason: "cancelled" })
    })
  )
})
