/** What every text is searched with takes long to build, so that it is not left to the first text. */
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"

/** There are more of them than looks here, each of which is one. */
const LOOKS = 200
const turn = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))

it.live("the search tables are built in small steps, before the first text", () =>
  Effect.gen(function* () {
    // Tables are built once in a process, and another test may have done so.
    vi.resetModules()
    const { prepareOrders } = yield* Effect.promise(
      () => import("../../../../src/layers/content/ContentSanitizer/injection/report.ts")
    )
    const { sanitizer } = yield* Effect.promise(() => import("../../../support/sanitizer.ts"))
    for (let look = 0; look < LOOKS; look++) assert.isFalse(prepareOrders().next().done)
    yield* Layer.build(sanitizer)
    let looks = 0
    while (prepareOrders().next().done !== true && ++looks < LOOKS) yield* turn
    assert.isBelow(looks, LOOKS)
  }).pipe(Effect.scoped)
)
