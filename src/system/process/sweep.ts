/**
 * What a gateway that was killed has left running is ended by the next one: once in its life, in the background, when it
 * starts its first server, or an editor greets it. On Linux, where /proc tells whose a process is and since when it runs. Elsewhere
 * that takes other programs, and what cannot be told apart from a stranger with the same number is left alone.
 */
import * as Effect from "effect/Effect"
import { FORCE_KILL_AFTER_MS, PROCESS_POLL_MS } from "../../schemas/defaults/Processes.ts"
import { orphans } from "./descent.ts"
import { isAlive, ownSelf, type ProcessEntry, signal } from "./procfs.ts"
import { takeSurvey } from "./survey.ts"

/** Does not keep a program running that has nothing else to do. */
const pause = (ms: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    timer.unref()
    return Effect.sync(() => clearTimeout(timer))
  })

const find = (known: ReadonlyArray<ProcessEntry>) =>
  Effect.map(
    Effect.promise(() => takeSurvey(0)),
    (survey) => (survey === undefined ? [] : orphans(survey, ownSelf(), known))
  )

const dead = Effect.fnUntraced(function* (targets: ReadonlyArray<ProcessEntry>) {
  const end = performance.now() + FORCE_KILL_AFTER_MS
  while (targets.some(isAlive) && performance.now() < end) yield* pause(PROCESS_POLL_MS)
})

/** SIGTERM, and five seconds later SIGKILL to whatever is found by then. Gives the numbers of what it ended. */
export const sweep: Effect.Effect<ReadonlyArray<number>> = Effect.gen(function* () {
  const left = yield* find([])
  if (left.length === 0) return []
  for (const target of left) signal(target, "SIGTERM")
  yield* dead(left)
  // What they held may have lost its owner only now.
  const stubborn = yield* find(left)
  for (const target of stubborn) signal(target, "SIGKILL")
  yield* dead(stubborn)
  return [...new Set([...left, ...stubborn].map(({ pid }) => pid))]
})

let begun = false

/** Begins the one sweep of this process; nobody waits for it. */
export const beginSweep: Effect.Effect<void> = Effect.suspend(() => {
  if (begun) return Effect.void
  begun = true
  return sweep.pipe(
    Effect.tap((ended) =>
      ended.length === 0
        ? Effect.void
        : Effect.logInfo(`ended what a gateway that is gone had left running: pids ${ended.join(", ")}`)
    ),
    Effect.forkDetach,
    Effect.asVoid
  )
})
