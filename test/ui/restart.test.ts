/** A gateway that goes and comes back under an open page. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { launched, missing, visit } from "./browser.ts"
import { configured } from "./gateway.ts"

describe.skipIf(missing !== undefined)("a page whose gateway ends", () => {
  it.live("says so, keeps what it knew, and goes on by itself with the gateway that is started next", () =>
    Effect.gen(function* () {
      const { started } = yield* configured()
      const { address, running } = yield* started()
      const browser = yield* launched
      const { faults, page } = yield* Effect.promise(() => visit(browser, address))
      const card = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "memory", exact: true }) })
      yield* Effect.promise(() => card.getByText("ready").waitFor())
      const [before = ""] =
        /process \d+/.exec(
          yield* Effect.promise(() =>
            card
              .getByText(/process \d+/)
              .first()
              .innerText()
          )
        ) ?? []
      assert.notStrictEqual(before, "")
      running.signal("SIGTERM")
      yield* running.exited
      const lost = page.getByText("The gateway does not answer.")
      yield* Effect.promise(() => lost.waitFor())
      assert.isTrue(yield* Effect.promise(() => card.isVisible()))
      const next = yield* started()
      yield* Effect.promise(() => lost.waitFor({ state: "detached" }))
      yield* Effect.promise(() => page.getByText(`process ${next.running.pid}`).waitFor())
      // Until then, it shows what it knew.
      yield* Effect.promise(() => card.filter({ hasText: before }).waitFor({ state: "detached" }))
      yield* Effect.promise(() => card.getByText("ready").waitFor())
      assert.deepStrictEqual(faults, [])
    }).pipe(Effect.scoped)
  )
})
