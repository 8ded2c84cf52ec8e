/** States over a time: what of them is in a window, and how long each lasted there. */
import type { StateSpan } from "../../../../schemas/control/History.ts"

export interface Shown {
  readonly from: number
  readonly to: number
  readonly state: StateSpan["state"]
  readonly reason?: string | undefined
}

/** The parts between two moments; what has no end lasts until the second one. */
export const within = (states: ReadonlyArray<StateSpan>, from: number, to: number): ReadonlyArray<Shown> =>
  states.flatMap((span) => {
    const shown = { ...span, from: Math.max(span.from, from), to: Math.min(span.to ?? to, to) }
    return shown.to > shown.from ? [shown] : []
  })

/** How long each state lasted, the longest first. */
export const sumsOf = (
  shown: ReadonlyArray<Shown>
): ReadonlyArray<{ readonly state: StateSpan["state"]; readonly ms: number }> =>
  [...Map.groupBy(shown, ({ state }) => state)]
    .map(([state, spans]) => ({ state, ms: spans.reduce((sum, { from, to }) => sum + to - from, 0) }))
    .toSorted((a, b) => b.ms - a.ms)
