/**
 * Ends the processes that a killed gateway has left running. Each gateway does this once, in the background, when it starts its
 * first server or an editor connects. Linux only: /proc tells whose a process is and when it started. On other systems such a process
 * cannot be distinguished from a stranger with the same number, and is left alone.
 */
import * as Effect from "effect/Effect"
import { FORCE_KILL_AFTER_MS, PROCESS_POLL_MS } from "../../schemas/defaults/Processes.ts"
import { orphans } from "./descent.ts"
import { isAlive, ownSelf, type ProcessEntry, signal } from "./procfs.ts"
import { ThisProcess } from "./ThisProcess.ts"

/** Node's timer and not that of Effect's `Clock`: it must not keep the process alive. */
const pause = (ms: number) =>
  Effect.callback<void>((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    timer.unref()
    return Effect.sync(() => clearTimeout(timer))
  })

const find = Effect.fnUntraced(function* (known: ReadonlyArray<ProcessEntry>) {
  const { surveys } = yield* ThisProcess
  const survey = yield* Effect.promise(() => surveys.take(0))
  return survey === undefined ? [] : orphans(survey, ownSelf(), known)
})

/** The numbers of the processes that `sweep` would end. */
export const leftRunning: Effect.Effect<ReadonlyArray<number>> = Effect.map(find([]), (left) =>
  left.map(({ pid }) => pid)
)

const dead = Effect.fnUntraced(function* (targets: ReadonlyArray<ProcessEntry>) {
  const end = performance.now() + FORCE_KILL_AFTER_MS
  while (targets.some(isAlive) && performance.now() < end) yield* pause(PROCESS_POLL_MS)
})

/** Sends SIGTERM, and after five seconds SIGKILL to what is left. Gives the numbers of the processes that it ended. */
export const sweep: Effect.Effect<ReadonlyArray<number>> = Effect.gen(function* () {
  const left = yield* find([])
  if (left.length === 0) return []
  for (const target of left) signal(target, "SIGTERM")
  yield* dead(left)
  // Their own children may be orphans only now.
  const stubborn = yield* find(left)
  for (const target of stubborn) signal(target, "SIGKILL")
  yield* dead(stubborn)
  return [...new Set([...left, ...stubborn].map(({ pid }) => pid))]
})

/** Begins the one sweep of this process in the background. */
export const beginSweep: Effect.Effect<void> = Effect.flatMap(ThisProcess, ({ mayBeginSweep }) => {
  if (!mayBeginSweep()) return Effect.void
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
