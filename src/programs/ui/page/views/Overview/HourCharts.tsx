/** The calls of the last hour, by minute. */
import type { HistoryValue, MinuteValue } from "../../../../../schemas/control/History.ts"
import { count, duration } from "../../format.ts"
import { Chart } from "../../parts/Chart.tsx"

const sum = (minutes: ReadonlyArray<MinuteValue>, of: (minute: MinuteValue) => number): number =>
  minutes.reduce((total, minute) => total + of(minute), 0)

export const HourCharts = ({ history: { minutes } }: { readonly history: HistoryValue }) => {
  const at = minutes.map((minute) => minute.at)
  const last = minutes.findLast(({ calls }) => calls > 0)
  const calls = sum(minutes, (minute) => minute.calls)
  const errors = sum(minutes, (minute) => minute.errors)
  return (
    <section class="charts" aria-label="Calls of the last hour">
      <Chart
        title="Calls a minute"
        now={`${count(minutes.at(-1)?.calls ?? 0)} now, ${count(calls)} in the hour`}
        at={at}
        series={[{ label: "calls", color: "--accent", values: minutes.map((minute) => minute.calls), isBars: true }]}
        format={count}
      />
      <Chart
        title="Time to answer"
        now={last === undefined ? "no calls" : `${duration(last.p50Ms)}, ${duration(last.p99Ms)}`}
        at={at}
        series={[
          { label: "p50", color: "--accent", values: minutes.map(({ p50Ms }) => p50Ms), isBars: false },
          { label: "p99", color: "--warn", values: minutes.map(({ p99Ms }) => p99Ms), isBars: false }
        ]}
        format={duration}
      />
      <Chart
        title="Errors a minute"
        now={`${count(errors)} in the hour`}
        at={at}
        series={[{ label: "errors", color: "--bad", values: minutes.map((minute) => minute.errors), isBars: true }]}
        format={count}
      />
      <Chart
        title="Tokens of results"
        now={`${count(sum(minutes, ({ resultTokens }) => resultTokens))} in the hour`}
        at={at}
        series={[
          { label: "tokens", color: "--busy", values: minutes.map(({ resultTokens }) => resultTokens), isBars: true }
        ]}
        format={count}
      />
    </section>
  )
}
