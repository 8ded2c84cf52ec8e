/**
 * Definitions are cleaned once, with the secrets that are known at that time. When another secret is registered, all of them
 * are cleaned again, in steps, before anybody gets a list; until then the earlier results are used.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Redactor } from "../../../services/content/Redactor.ts"
import type { AgentServer } from "./AgentServer.ts"

export interface Prepared {
  /** The version of the secrets that definitions were last cleaned with. */
  readonly version: () => number
  /** Returns when they are cleaned with all known secrets. */
  readonly upToDate: Effect.Effect<void>
}

export const makePrepared = (
  servers: () => ReadonlyArray<AgentServer>,
  { version }: Pick<Redactor["Service"], "version">
): Prepared => {
  const turn = Semaphore.makeUnsafe(1)
  let prepared = version()
  const prepare: Effect.Effect<void> = Effect.suspend(() => {
    const next = version()
    if (next === prepared) return Effect.void
    return Effect.forEach(servers(), ({ supervised }) => supervised.prepare, { discard: true }).pipe(
      Effect.andThen(Effect.sync(() => version() === next && (prepared = next))),
      // Another secret may have been registered in the meantime.
      Effect.andThen(Effect.suspend(() => prepare))
    )
  })
  return {
    version: () => prepared,
    upToDate: Effect.suspend(() => (version() === prepared ? Effect.void : turn.withPermit(prepare)))
  }
}
