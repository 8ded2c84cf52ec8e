/**
 * Work for one stranger in turns with everybody else's: a few milliseconds of it, then the others. Work that could not be
 * interrupted and took long counts more the longer it took; who has used up the allowance (allowance.ts) waits until there is
 * some again. One piece of work at a time, in the order in which it was asked for, whatever it is for.
 */
import { STREAM_DEBT_MAX_MS, STREAM_TURN_MS } from "../schemas/defaults/Wire.ts"
import { countOf, makeAllowance, type Allowance } from "./allowance.ts"
import { makeTurns } from "./turns.ts"

export interface Pace {
  /**
   * Done when it is this one's turn. What is done then counts, up to where something is waited for that has not happened yet. A
   * piece (`isPiece`) is work that is always short: where it took long, the system or a garbage collection has interrupted it, and
   * nothing of that counts.
   */
  readonly turn: (isPiece?: boolean) => Promise<void>
}

export const makePace = (allowance: Allowance = makeAllowance()): Pace => {
  // Short turns cost nobody anything: they are over when their time is, and that is all.
  const turns = makeTurns({ ...allowance, spend: () => {} })
  const waiting: Array<{ readonly begin: () => void; readonly isPiece: boolean }> = []
  let [isTaken, from] = [false, 0]

  const next = () => {
    const work = waiting.shift()
    isTaken = work !== undefined
    if (work === undefined) return
    from = performance.now()
    turns.begin(from)
    // After all that follows from it at once.
    queueMicrotask(() => process.nextTick(end, work.isPiece))
    work.begin()
  }

  const end = (isPiece: boolean) => {
    const now = performance.now()
    const ms = now - from
    if (!isPiece && ms > STREAM_TURN_MS) allowance.spend(countOf(ms, true, STREAM_DEBT_MAX_MS), now)
    if (turns.end(now)) turns.rest(next)
    else next()
  }

  return {
    turn: (isPiece = false) =>
      new Promise((resolve) => {
        waiting.push({ begin: resolve, isPiece })
        if (!isTaken) next()
      })
  }
}
