/**
 * Tells a client which of its lists have changed. Only lists that it has read and that really differ; several changes in a
 * short time are reported as one.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { isDeepStrictEqual } from "node:util"
import { SERVE_CHANGES_MS } from "../../schemas/defaults/Serve.ts"
import type { OfferChange } from "../../services/listener/McpListener.ts"
import type { McpRuntimeShape } from "../../services/call/McpRuntime.ts"
import type { Listed } from "./pages.ts"

type Kind = Exclude<OfferChange["kind"], "resource">
type List = Effect.Effect<ReadonlyArray<Listed>>

const same = (some: ReadonlyArray<Listed>, others: ReadonlyArray<Listed>): boolean =>
  some.length === others.length &&
  some.every((one, i) => one === others[i] || isDeepStrictEqual(one.wire, others[i]!.wire))

export interface Told {
  /** Reads the list for a client; from then on it is told when the list differs. */
  readonly asked: (list: List) => List
  readonly changes: (runtime: McpRuntimeShape) => Stream.Stream<OfferChange>
}

/**
 * Compares `lists` after each change. Clients that share this object share what they were told, so that a change that one has
 * seen is still reported to the others.
 */
export const makeTold = (lists: Readonly<Record<Kind, ReadonlyArray<List>>>): Told => {
  const told = new Map<List, ReadonlyArray<Listed>>()

  const isOther = Effect.fnUntraced(function* (list: List) {
    const before = told.get(list)
    if (before === undefined) return false
    const now = yield* list
    if (same(before, now)) return false
    told.set(list, now)
    return true
  })

  const look = Effect.gen(function* () {
    const changed: Array<OfferChange> = []
    for (const kind of ["tools", "resources", "prompts"] as const) {
      const others = yield* Effect.forEach(lists[kind], isOther)
      if (others.includes(true)) changed.push({ kind })
    }
    return changed
  })

  return {
    asked: (list) =>
      Effect.tap(list, (now) =>
        Effect.sync(() => {
          if (!told.has(list)) told.set(list, now)
        })
      ),
    changes: ({ changes }) =>
      changes.pipe(
        Stream.buffer({ capacity: 1, strategy: "sliding" }),
        Stream.mapEffect(() => Effect.delay(look, SERVE_CHANGES_MS)),
        Stream.flatMap((changed) => Stream.fromIterable(changed))
      )
  }
}
