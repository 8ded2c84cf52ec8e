/**
 * Writes what changes in the background: all that has come meanwhile in one go, the newest state of each. While the database is away it waits,
 * and nobody waits for it.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { DIRECTORY_AGAIN_MS } from "../../../schemas/defaults/FleetSessions.ts"
import type { DatabaseAway } from "../../../schemas/fleet/FleetError.ts"
import type { Database } from "../../../services/fleet/Database.ts"
import { again } from "../../../system/rounds.ts"

export interface Writer<A> {
  /** The state of what has this key. */
  readonly write: (key: string, state: A) => void
  /** Returns when what was to be written before is written, or cannot be now. True if it is written. */
  readonly written: Effect.Effect<boolean>
  /** What is not written yet. */
  readonly pending: (key: string) => A | undefined
}

export const makeWriter = Effect.fnUntraced(function* <A>(
  { isAway, states }: Pick<Database["Service"], "isAway" | "states">,
  flush: (states: ReadonlyMap<string, A>) => Effect.Effect<void, DatabaseAway>,
  max: number
): Effect.fn.Return<Writer<A>, never, Scope.Scope> {
  const waiting = new Map<string, A>()
  /** What is being written, and when that is done. */
  let underWay: ReadonlyMap<string, A> = new Map()
  let now = Deferred.makeUnsafe<boolean>()
  /** When what is waiting is written. */
  let next = Deferred.makeUnsafe<boolean>()
  let wake = Deferred.makeUnsafe<void>()

  const begin = () => void Deferred.doneUnsafe(wake, Effect.void)
  const turn = () => {
    const told = next
    next = Deferred.makeUnsafe()
    return told
  }

  /** False if it has to be tried again. What the database refuses is left out, and keeps nothing else from being written. */
  const put = (some: ReadonlyMap<string, A>): Effect.Effect<boolean> =>
    Effect.flatMap(Effect.exit(Effect.suspend(() => flush(some))), (exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed(true)
      if (!Cause.hasDies(exit.cause)) return Effect.succeed(false)
      if (some.size === 1) {
        return Effect.as(Effect.logError("fleet: the database refuses a session or a task", exit.cause), true)
      }
      const each = Effect.forEach([...some], (one) => put(new Map([one])))
      return Effect.map(each, (all) => all.every(Boolean))
    })

  const round = Effect.gen(function* () {
    wake = Deferred.makeUnsafe()
    if (waiting.size === 0) return
    underWay = new Map(waiting)
    waiting.clear()
    now = turn()
    const isWritten = yield* put(underWay)
    if (!isWritten) {
      // Newer states stay.
      for (const [key, state] of underWay) if (!waiting.has(key) && waiting.size < max) waiting.set(key, state)
    }
    underWay = new Map()
    Deferred.doneUnsafe(now, Effect.succeed(isWritten))
    if (isWritten && waiting.size > 0) begin()
    if (isWritten || isAway()) return
    // It answers, and was busy.
    yield* Effect.sleep(DIRECTORY_AGAIN_MS)
    begin()
  })
  const woken = Effect.suspend(() => Deferred.await(wake))
  yield* Effect.forkScoped(again("fleet: the writing of sessions and tasks", woken, round))
  yield* states.pipe(
    Stream.runForEach((state) =>
      Effect.sync(() => (state === "here" ? begin() : Deferred.doneUnsafe(turn(), Effect.succeed(false))))
    ),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() =>
    waiting.size === 0 || isAway() ? Effect.void : Effect.ignore(Effect.suspend(() => flush(new Map(waiting))))
  )

  return {
    write: (key, state) => {
      // The database has been away for long: what is left out is what nobody else needs as long as this node lives.
      if (!waiting.has(key) && waiting.size >= max) return
      waiting.delete(key)
      waiting.set(key, state)
      begin()
    },
    written: Effect.suspend(() => {
      if (waiting.size === 0 && underWay.size === 0) return Effect.succeed(true)
      if (isAway()) return Effect.succeed(false)
      return Deferred.await(waiting.size > 0 ? next : now)
    }),
    pending: (key) => waiting.get(key) ?? underWay.get(key)
  }
})
