/**
 * Keeps answers of providers: values for a while, failures for a moment. If several callers ask the same question together, the provider is
 * asked once, as long as one of them waits: a caller that is interrupted does not affect the others.
 */
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { SECRET_FAILURE_TTL_MS, SECRETS_KEPT_MAX } from "../../../schemas/defaults/Secrets.ts"

/** Questions are compared by their parts: two are the same if all parts are. */
export type Question = readonly [provider: string, path: string, version: string | undefined]

export interface Answers {
  /** The answer, kept or new. `owner` is recorded as one that has it. */
  readonly get: (question: Question, owner: string) => Effect.Effect<string, string>
  /** A new answer, shared with callers that wait for it at the same time, and not kept. */
  readonly fresh: (question: Question) => Effect.Effect<string, string>
  /** Drops the answers that `owner` has. */
  readonly forget: (owner: string) => Effect.Effect<void>
}

interface Answer {
  readonly value: string
  readonly owners: Set<string>
}

export const make = Effect.fnUntraced(function* (
  ask: (question: Question) => Effect.Effect<string, string>,
  ttlMs: number
): Effect.fn.Return<Answers> {
  const lookup = (question: Question) => Effect.map(ask(question), (value): Answer => ({ value, owners: new Set() }))

  const failureTtlMs = Math.min(ttlMs, SECRET_FAILURE_TTL_MS)
  const kept = yield* Cache.makeWith(lookup, {
    capacity: SECRETS_KEPT_MAX,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? ttlMs : failureTtlMs)
  })
  const pending = yield* Cache.makeWith(lookup, { capacity: SECRETS_KEPT_MAX, timeToLive: () => 0 })

  /** The owners that wait for an answer: it may be the one to drop before it arrives. */
  const waiting = new Set<readonly [question: Question, owner: string]>()

  return {
    get: (question, owner) =>
      Effect.suspend(() => {
        const wait = [question, owner] as const
        waiting.add(wait)
        return Effect.map(Cache.get(kept, question), ({ owners, value }) => {
          owners.add(owner)
          return value
        }).pipe(Effect.ensuring(Effect.sync(() => waiting.delete(wait))))
      }),
    fresh: (question) => Effect.map(Cache.get(pending, question), ({ value }) => value),
    forget: Effect.fnUntraced(function* (owner) {
      for (const [question, waits] of waiting) if (waits === owner) yield* Cache.invalidate(kept, question)
      for (const [question, { owners }] of yield* Cache.entries(kept)) {
        if (owners.has(owner)) yield* Cache.invalidate(kept, question)
      }
    })
  }
})
