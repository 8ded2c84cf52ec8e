/** The calls over time: each tool, or each server, with a picture of its own on one scale. */
import { useState } from "preact/hooks"
import type { TallyValue } from "../../../../../schemas/control/History.ts"
import { clock, count, duration } from "../../format.ts"
import { useTick } from "../../parts/useTick.ts"
import { useAsked } from "../../store/useAsked.ts"
import { stepsOf } from "./steps.ts"

const EVERY_MS = 10_000
const SHOWN = 12
const SPANS: ReadonlyArray<readonly [minutes: number, words: string]> = [
  [15, "15 minutes"],
  [60, "hour"]
]

const Picture = ({
  max,
  starts,
  steps
}: {
  readonly steps: TallyValue["steps"]
  readonly starts: ReadonlyArray<number>
  readonly max: number
}) => (
  <svg class="steps" viewBox={`0 0 ${starts.length} 20`} preserveAspectRatio="none" aria-hidden="true">
    {steps.map(({ calls, errors }, step) => {
      const height = (20 * calls) / max
      const bad = (20 * errors) / max
      const place = starts.length - steps.length + step
      return (
        <g key={starts[place]}>
          <rect class="step" x={place + 0.1} width={0.8} y={20 - height} height={height} />
          <rect class="step-bad" x={place + 0.1} width={0.8} y={20 - bad} height={bad} />
        </g>
      )
    })}
  </svg>
)

const Row = ({
  max,
  starts,
  tally
}: {
  readonly tally: TallyValue
  readonly starts: ReadonlyArray<number>
  readonly max: number
}) => (
  <tr>
    <th scope="row">
      {tally.tool === undefined ? tally.server : <code>{tally.tool}</code>}
      {tally.tool === undefined ? null : <span class="quiet"> {tally.server}</span>}
    </th>
    <td class="picture">
      <Picture steps={tally.steps} starts={starts} max={max} />
    </td>
    <td class="figure">{count(tally.calls)}</td>
    <td class="figure" data-tone={tally.errors > 0 ? "bad" : undefined}>
      {count(tally.errors)}
    </td>
    <td class="figure tiny">{duration(tally.p50Ms)}</td>
    <td class="figure tiny">{duration(tally.p99Ms)}</td>
  </tr>
)

const Choices = <A,>(props: {
  readonly label: string
  readonly options: ReadonlyArray<readonly [A, string]>
  readonly chosen: A
  readonly choose: (value: A) => void
}) => (
  <div class="choices" role="group" aria-label={props.label}>
    {props.options.map(([value, words]) => (
      <button key={words} type="button" aria-pressed={value === props.chosen} onClick={() => props.choose(value)}>
        {words}
      </button>
    ))}
  </div>
)

export const Tallies = () => {
  const [by, setBy] = useState<"tools" | "servers">("tools")
  const [minutes, setMinutes] = useState(60)
  // By the minute, so that what is asked stays the same in between.
  const since = (Math.floor(Date.now() / 60_000) - minutes) * 60_000
  const { value } = useAsked("Tallies", { since }, [useTick(EVERY_MS)])
  const [kept, setKept] = useState(value)
  if (value !== undefined && value !== kept) setKept(value)
  const tallies = (value ?? kept)?.[by].slice(0, SHOWN) ?? []
  const max = Math.max(1, ...tallies.flatMap(({ steps }) => steps.map(({ calls }) => calls)))
  const covered = value ?? kept
  const pictured = covered === undefined ? [] : stepsOf(covered.steps, minutes)
  return (
    <section class="tallies" aria-labelledby="tallies-title">
      <header class="view-head">
        <h2 id="tallies-title">Over time</h2>
        <div class="actions">
          <Choices
            label="By"
            options={[
              ["tools", "by tool"],
              ["servers", "by server"]
            ]}
            chosen={by}
            choose={setBy}
          />
          <Choices label="Time" options={SPANS} chosen={minutes} choose={setMinutes} />
        </div>
      </header>
      {tallies.length === 0 ? (
        <p class="quiet">No calls in this time.</p>
      ) : (
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{by === "tools" ? "Tool" : "Server"}</th>
              <th scope="col" class="picture">
                {covered === undefined ? "" : `${clock(pictured[0]!)} – ${clock(covered.until)}`}
              </th>
              <th scope="col" class="figure">
                Calls
              </th>
              <th scope="col" class="figure">
                Errors
              </th>
              <th scope="col" class="figure tiny">
                p50
              </th>
              <th scope="col" class="figure tiny">
                p99
              </th>
            </tr>
          </thead>
          <tbody>
            {tallies.map((tally) => (
              <Row key={`${tally.server}/${tally.tool ?? ""}`} tally={tally} starts={pictured} max={max} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
