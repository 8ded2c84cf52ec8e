/** The states of a server over a time, as a picture: colour and height say how well it was. Screen readers get the sums. */
import type { StateSpan } from "../../../../schemas/control/History.ts"
import { clock, duration } from "../format.ts"
import { stateWord } from "./StateBadge.tsx"
import { sumsOf, within } from "./spans.ts"

export interface StripProps {
  readonly states: ReadonlyArray<StateSpan>
  readonly from: number
  readonly to: number
}

export const Strip = ({ from, states, to }: StripProps) => {
  const shown = within(states, from, to)
  const percent = (ms: number) => `${((100 * ms) / (to - from)).toFixed(3)}%`
  const words = sumsOf(shown).map(({ ms, state }) => `${stateWord(state)} ${duration(ms)}`)
  const label = words.length === 0 ? "nothing known of this time" : words.join(", ")
  return (
    <div class="strip" role="img" aria-label={`Last ${duration(to - from)}: ${label}`}>
      {shown.map((span) => (
        <span
          key={`${span.from}-${span.state}`}
          data-state={span.state}
          title={`${clock(span.from)} ${stateWord(span.state)} for ${duration(span.to - span.from)}${span.reason === undefined ? "" : `: ${span.reason}`}`}
          style={{ left: percent(span.from - from), width: percent(span.to - span.from) }}
        />
      ))}
    </div>
  )
}
