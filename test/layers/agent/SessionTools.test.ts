/** The tools that sessions have for themselves, and who has been given them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layer } from "../../../src/layers/agent/SessionTools.ts"
import { SessionTools } from "../../../src/services/agent/SessionTools.ts"
import { toolRuntime } from "../../support/toolRuntime.ts"

describe("SessionTools", () => {
  it.effect("runs a session's onClear effects once, when its tools are replaced or cleared", () =>
    Effect.gen(function* () {
      const tools = yield* SessionTools
      const log: Array<string> = []
      const note = (text: string) => Effect.sync(() => void log.push(text))
      yield* tools.set("one", toolRuntime({}))
      yield* tools.set("two", toolRuntime({}))
      yield* tools.onClear("one", note("one"))
      yield* tools.onClear("two", note("two"))
      yield* tools.set("one", toolRuntime({}))
      assert.deepStrictEqual(log, ["one"])
      yield* tools.clear("one")
      assert.deepStrictEqual(log, ["one"])
      yield* tools.clear("two")
      assert.deepStrictEqual(log, ["one", "two"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("runs an onClear effect at once when the session has no tools", () =>
    Effect.gen(function* () {
      const tools = yield* SessionTools
      let isBack = false
      yield* tools.onClear(
        "gone",
        Effect.sync(() => void (isBack = true))
      )
      assert.isTrue(isBack)
    }).pipe(Effect.provide(layer))
  )
})
