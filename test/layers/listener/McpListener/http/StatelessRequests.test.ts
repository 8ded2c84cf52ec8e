/** Requests of 2026-07-28 are answered by one server of the SDK, whoever sent them. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { text } from "../../../../fixtures/listener/offer.ts"
import { listening, TOKENS } from "../../../../support/listener.ts"
import { ask, textOf, type Message } from "../../../../support/rawHttp.ts"

const MODERN = "2026-07-28"
const { me } = TOKENS

const live = (name: string, body: Effect.Effect<void, unknown, never>) => it.live(name, () => body)

describe("requests of one token that are under way at the same time", () => {
  live(
    "have their own answers, progress and logs, also with the same id",
    Effect.gen(function* () {
      const names = ["a", "b", "c"]
      const all = yield* Deferred.make<void>()
      let begun = 0
      const { url } = yield* listening({
        tools: {
          meet: ({ name }, { log, progress }) =>
            Effect.gen(function* () {
              log({ level: "error", data: `log of ${String(name)}` })
              progress({ progress: 1, total: undefined, message: `progress of ${String(name)}` })
              if (++begun === names.length) yield* Deferred.succeed(all, undefined)
              yield* Deferred.await(all)
              return text(`answer of ${String(name)}`)
            })
        }
      })
      const call = (name: string) =>
        ask(
          MODERN,
          url,
          me,
          "tools/call",
          { name: "meet", arguments: { name } },
          {
            id: 7,
            meta: { progressToken: "same", "io.modelcontextprotocol/logLevel": "debug" }
          }
        )
      const answers = yield* Effect.promise(() => Promise.all(names.map(call)))
      for (const [at, answer] of answers.entries()) {
        const name = names[at]
        assert.strictEqual(textOf(answer), `answer of ${name}`)
        assert.strictEqual(answer.messages.at(-1)?.id, 7)
        const said = answer.messages.slice(0, -1).map((one: Message) => one.params?.["message"] ?? one.params?.["data"])
        assert.sameMembers(said, [`log of ${name}`, `progress of ${name}`])
      }
    }).pipe(Effect.scoped)
  )

  live(
    "end alone when their client leaves",
    Effect.gen(function* () {
      const { heard, lines, url } = yield* listening()
      void ask(MODERN, url, me, "tools/call", { name: "wait" }, { id: 7 }).catch(() => {})
      yield* heard("begun")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const signal = yield* Effect.abortSignal
          void ask(MODERN, url, me, "tools/call", { name: "wait" }, { id: 7, signal }).catch(() => {})
          yield* heard("begun", 2)
        })
      )
      yield* heard("interrupted")
      // The other one is still there: it is not answered.
      const echo = yield* Effect.promise(() =>
        ask(MODERN, url, me, "tools/call", { name: "echo", arguments: { text: "hi" } }, { id: 7 })
      )
      assert.strictEqual(textOf(echo), "hi")
      assert.lengthOf(
        lines.filter((line) => line === "interrupted"),
        1
      )
    }).pipe(Effect.scoped)
  )
})
