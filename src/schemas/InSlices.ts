/** Work on many things, a few milliseconds at a time: then everybody else has their turn. */
import * as Effect from "effect/Effect"
import { SLICE_MS } from "./defaults/Slices.ts"

/** `work` on each of them in their order. The last slice is not waited for: what takes less than one does not suspend. */
export const inSlices = <A>(items: Iterable<A>, work: (item: A) => void): Effect.Effect<void> =>
  Effect.gen(function* () {
    let from = performance.now()
    for (const item of items) {
      if (performance.now() - from > SLICE_MS) {
        yield* Effect.yieldNow
        from = performance.now()
      }
      work(item)
    }
  })
