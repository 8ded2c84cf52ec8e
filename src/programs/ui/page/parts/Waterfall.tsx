/** Where the time of a call went: its stages, one below the other, on one scale. */
import type { TraceSpan } from "../../../../schemas/control/Trace.ts"
import { micros } from "../format.ts"

const attributesOf = ({ attributes }: TraceSpan): string =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ")

export const Waterfall = ({ spans }: { readonly spans: ReadonlyArray<TraceSpan> }) => {
  const whole = Math.max(1, ...spans.map(({ durationUs, startUs }) => startUs + durationUs))
  const percent = (us: number) => `${((100 * us) / whole).toFixed(2)}%`
  return (
    <table class="waterfall">
      <thead>
        <tr>
          <th scope="col">Stage</th>
          <th scope="col">Begins</th>
          <th scope="col">Takes</th>
          <th scope="col" aria-hidden="true">
            {micros(whole)}
          </th>
        </tr>
      </thead>
      <tbody>
        {spans.map((span) => (
          <tr key={`${span.name} ${span.startUs}`} data-stage={span.name} title={attributesOf(span)}>
            <th scope="row">
              {span.name}
              {span.server === undefined ? null : <span class="quiet"> {span.server}</span>}
            </th>
            <td class="figure">{micros(span.startUs)}</td>
            <td class="figure">{micros(span.durationUs)}</td>
            <td aria-hidden="true">
              <span class="bar-track">
                <span style={{ left: percent(span.startUs), width: percent(span.durationUs) }} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
