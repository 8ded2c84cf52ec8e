/**
 * Remembers what was read from a place that others change, as long as changes are heard. After a time of not hearing, everything is read
 * again. What is remembered while nothing can be heard counts for a bounded time.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { putNewest } from "../schemas/data/Newest.ts"

/** `said`: this key has changed. `listening`: from now on nothing is missed. `deaf`: until then, changes are missed. */
export type HeardChange =
  | { readonly _tag: "said"; readonly text: string }
  | { readonly _tag: "listening" }
  | { readonly _tag: "deaf" }

export interface HeardOptions {
  readonly heard: Stream.Stream<HeardChange>
  /** Whether the place can be reached now. */
  readonly states: Stream.Stream<"here" | "away">
  readonly unheardMs: number
  readonly max: number
}

export interface HeardCache<A> {
  /** What is remembered, if that counts now. */
  readonly get: (key: string) => A | undefined
  /** Reads, and remembers the result unless the key has changed meanwhile. */
  readonly load: <E, R>(key: string, read: Effect.Effect<A | undefined, E, R>) => Effect.Effect<A | undefined, E, R>
  readonly forget: (key: string) => void
  readonly forgetAll: () => void
}

/** What is said for a change of everything. */
export const EVERYTHING = "*"

export const makeHeardCache = Effect.fnUntraced(function* <A>({
  heard,
  max,
  states,
  unheardMs
}: HeardOptions): Effect.fn.Return<HeardCache<A>, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const known = new Map<string, { readonly value: A }>()
  /** Grows with each change. */
  let changes = 0
  let [isListening, isHere] = [false, true]
  /** When hearing ended. */
  let heardAt = Number.NEGATIVE_INFINITY

  const forget = (key: string) => {
    changes++
    known.delete(key)
  }
  const forgetAll = () => {
    changes++
    known.clear()
  }

  const turn = (change: () => void) => {
    const before = isListening && isHere
    change()
    if (before && !(isListening && isHere)) heardAt = clock.currentTimeMillisUnsafe()
  }

  const hear = (change: HeardChange) => {
    if (change._tag === "said") return change.text === EVERYTHING ? forgetAll() : forget(change.text)
    if (change._tag === "listening") forgetAll()
    turn(() => (isListening = change._tag === "listening"))
  }

  yield* Effect.forkScoped(Stream.runForEach(heard, (change) => Effect.sync(() => hear(change))))
  yield* Effect.forkScoped(
    Stream.runForEach(states, (state) => Effect.sync(() => turn(() => (isHere = state === "here"))))
  )

  const counts = () => (isListening && isHere) || clock.currentTimeMillisUnsafe() - heardAt < unheardMs

  return {
    get: (key) => (counts() ? known.get(key)?.value : undefined),
    load: (key, read) =>
      Effect.suspend(() => {
        const before = changes
        return Effect.tap(read, (value) =>
          Effect.sync(() => {
            if (value === undefined) known.delete(key)
            else if (changes === before) putNewest(known, key, { value }, max)
          })
        )
      }),
    forget,
    forgetAll
  }
})
