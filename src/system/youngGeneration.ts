/**
 * The young generation of V8's heap, kept at one size. While much is received, V8 lets it grow to a hundred megabytes, and then each collection
 * of it stops the process for tens of milliseconds. The flag for its largest size (`--max-semi-space-size`) has no effect in a process that
 * runs. The factor by which it grows (`--semi-space-growth-factor`) has: V8 reads it at each collection. So the factor is 1, except while
 * we have it grow to its size: at first, and after V8 has made it smaller because little happened.
 *
 * All of a process has one heap, so this is for programs of our own, and not for the library.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { PerformanceObserver } from "node:perf_hooks"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { YOUNG_GENERATION_BYTES, YOUNG_GENERATION_FILL_MAX_BYTES } from "../schemas/defaults/LargeWork.ts"

/** Flags of Node that decide the same. */
const DECIDES = /--(?:max-|min-)?semi-space-/

const isDecided = (): boolean =>
  DECIDES.test([process.env["NODE_OPTIONS"], ...process.execArgv].join(" ").replaceAll("_", "-"))

/** Of both halves. */
const sizeNow = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0

const growBy = (factor: number) => setFlagsFromString(`--semi-space-growth-factor=${factor}`)
const FACTOR_OF_V8 = 2

/** An array takes so many bytes for each of its elements. */
const ELEMENT_BYTES = 8
const FILL_BYTES = 16 * 1024
const filling = (): ReadonlyArray<number> => Array.from({ length: FILL_BYTES / ELEMENT_BYTES }, () => 0)

/** V8 lets it grow when enough has outlived a collection. Returns whether it has its size now. */
const grow = (): boolean => {
  const outliving: Array<unknown> = []
  let size = sizeNow()
  for (
    let filled = 0;
    size < YOUNG_GENERATION_BYTES && filled < YOUNG_GENERATION_FILL_MAX_BYTES;
    filled += FILL_BYTES
  ) {
    // In one step, if it can be.
    growBy(Math.max(FACTOR_OF_V8, Math.floor(YOUNG_GENERATION_BYTES / size)))
    outliving.push(filling())
    size = sizeNow()
  }
  if (outliving.length > 0) growBy(1)
  return size >= YOUNG_GENERATION_BYTES
}

const keep = () => {
  growBy(1)
  const observer = new PerformanceObserver(() => {
    if (!grow()) release()
  })
  observer.observe({ entryTypes: ["gc"] })
  /** Also where this V8 does not grow as we know it. */
  const release = () => {
    observer.disconnect()
    growBy(FACTOR_OF_V8)
  }
  return release
}

/** Keeps it at its size for as long as the Scope lasts. Where Node was started with a flag for it, that stays as it is. */
export const keepYoungGenerationSmall: Effect.Effect<void, never, Scope.Scope> = Effect.suspend(() =>
  isDecided() ? Effect.void : Effect.asVoid(Effect.acquireRelease(Effect.sync(keep), (release) => Effect.sync(release)))
)
