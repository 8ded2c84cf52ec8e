import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  call,
  CAN_NOTHING,
  exchanging,
  offered,
  refusing,
  says,
  service,
  textOf,
  type Answer,
  type Loose
} from "./live.ts"

describe("serve: permission", () => {
  const config = { gateway: { tools: { ask: ["fs/*"] } } }

  const permitted = (answer: Answer | undefined, times = 1) =>
    Effect.gen(function* () {
      const offer = yield* offered(yield* service({ fs: {} }, { config }))
      const { asked, exchange } = exchanging(answer)
      let result: Loose
      for (let i = 0; i < times; i++) result = yield* call(offer, "mcp_fs_echo", { text: "done" }, exchange)
      return { asked, isError: result.isError === true, text: textOf(result) }
    })

  const decided = (decision: unknown) => says({ action: "accept", content: { decision } })

  it.effect("a tool that a rule asks about is asked about at the client, with its arguments", () =>
    Effect.gen(function* () {
      const { asked, isError, text } = yield* permitted(decided("once"), 2)
      assert.isFalse(isError)
      assert.include(text, "done")
      assert.lengthOf(asked, 2)
      const { message, requestedSchema } = asked[0]!.params
      for (const words of ["mcp_fs_echo", "Server: fs", "Tool: echo", 'text: "done"']) assert.include(message, words)
      assert.deepStrictEqual(requestedSchema.properties.decision.enum, ["once", "session", "always", "deny"])
    })
  )

  it.effect("what is allowed until the end of the connection is not asked again, and by another one is", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs: {} }, { config })
      const { asked, exchange } = exchanging(decided("session"))
      const [first, second] = [yield* offered(made), yield* offered(made)]
      for (const offer of [first, first, second]) yield* call(offer, "mcp_fs_echo", { text: "x" }, exchange)
      assert.lengthOf(asked, 2)
    })
  )

  it.effect("one of several clients approves nothing for good, so nothing for another one", () =>
    Effect.gen(function* () {
      const made = yield* service({ fs: {} }, { config, oneClient: false })
      const [one, other] = [yield* offered(made, { principal: "one" }), yield* offered(made, { principal: "other" })]
      const [approving, denying] = [exchanging(decided("always")), exchanging(decided("deny"))]
      assert.isTrue((yield* call(one, "mcp_fs_echo", { text: "x" }, approving.exchange)).isError)
      const { requestedSchema } = approving.asked[0]!.params
      assert.deepStrictEqual(requestedSchema.properties.decision.enum, ["once", "session", "deny"])
      assert.isTrue((yield* call(other, "mcp_fs_echo", { text: "x" }, denying.exchange)).isError)
      assert.lengthOf(denying.asked, 1)
    })
  )

  it.effect("whatever is no yes is a no; who cannot be asked is told so", () =>
    Effect.gen(function* () {
      for (const answer of [
        decided("deny"),
        decided("yes"),
        decided(undefined),
        says({ action: "accept" }),
        says({ action: "decline", content: { decision: "once" } }),
        says({ action: "cancel" }),
        refusing("refused"),
        refusing("gone")
      ]) {
        const { isError, text } = yield* permitted(answer)
        assert.isTrue(isError)
        assert.include(text, "it needs the approval of a person")
      }
      const { asked, isError, text } = yield* permitted(undefined)
      assert.lengthOf(asked, 0)
      assert.isTrue(isError)
      assert.include(text, "nobody can be asked here")
      assert.isFalse(CAN_NOTHING.elicitation.form)
    })
  )
})
