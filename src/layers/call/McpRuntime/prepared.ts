/**
 * What agents see of definitions is cleaned once for the secrets that were known then. When another secret is known, all of
 * them are cleaned again, in turns, before anybody is given a list; until that is done what was made of them before stands.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Redactor } from "../../../services/content/Redactor.ts"
import type { AgentServer } from "./AgentServer.ts"

export interface Prepared {
  /** Of the secrets that definitions were last cleaned for. */
  readonly version: () => number
  /** Returns when they are cleaned for all that are known. */
  readonly upToDate: Effect.Effect<void>
}

export const makePrepared = (
  servers: ReadonlyArray<AgentServer>,
  { version }: Pick<Redactor["Service"], "version">
): Prepared => {
  const turn = Semaphore.makeUnsafe(1)
  let prepared = version()
  const prepare: Effect.Effect<void> = Effect.suspend(() => {
    const next = version()
    if (next === prepared) return Effect.void
    return Effect.forEach(servers, ({ supervised }) => supervised.prepare, { discard: true }).pipe(
      Effect.andThen(Effect.sync(() => version() === next && (prepared = next))),
      // Another one may have become known meanwhile.
      Effect.andThen(Effect.suspend(() => prepare))
    )
  })
  return {
    version: () => prepared,
    upToDate: Effect.suspend(() => (version() === prepared ? Effect.void : turn.withPermit(prepare)))
  }
}
