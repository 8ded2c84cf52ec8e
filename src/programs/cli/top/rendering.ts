/** The figures of `top` as a table. Pure. */
import { nameWith } from "../../../schemas/connection/Isolation.ts"
import { stateWords } from "../../../schemas/connection/ServerState.ts"
import type { FiguresValue, OwnServerValue } from "../../../schemas/control/FiguresValue.ts"
import { fitting, formatBytes, table } from "../../../schemas/content/Rendering.ts"

/** One look at the figures. */
export interface Look {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly figures: FiguresValue
  /** What single clients have alone. */
  readonly own: ReadonlyArray<OwnServerValue>
}

type Running = Pick<OwnServerValue, "status" | "usage">

/** By the name, with whose it is. */
export const processesIn = ({ figures, own }: Look): ReadonlyArray<readonly [string, Running]> => [
  ...Object.entries(figures),
  ...own.map((one) => [nameWith(one.server, one.whose), one] as const)
]

/** The share of one processor that each server used between two looks, in percent; `undefined` if that is not known. */
export const cpuBetween = (before: Look | undefined, look: Look): Readonly<Record<string, number>> => {
  const { at } = look
  const earlier = new Map(before === undefined ? [] : processesIn(before))
  return Object.fromEntries(
    processesIn(look).flatMap(([name, { status, usage }]) => {
      const last = earlier.get(name)
      // Another process has another beginning.
      if (before === undefined || usage === undefined || last?.usage === undefined || last.status.pid !== status.pid)
        return []
      const passed = at - before.at
      const percent = passed <= 0 ? 0 : ((usage.cpuMs - last.usage.cpuMs) / passed) * 100
      return [[name, Math.max(0, Math.round(percent * 10) / 10)]]
    })
  )
}

const HEADING = [
  "SERVER",
  "STATE",
  "NOW",
  "CALLS/MIN",
  "P50",
  "P99",
  "CALLS",
  "ERRORS",
  "RESTARTS",
  "CPU",
  "MEMORY",
  "FINDINGS",
  "TOKENS"
]
/** The columns to drop on a narrow terminal, in this order. */
const LESS_NEEDED = ["TOKENS", "FINDINGS", "RESTARTS", "CALLS", "P50", "CPU", "P99", "ERRORS", "MEMORY"]

const ms = (value: number | null): string => (value === null ? "-" : `${Math.round(value)} ms`)

const thousands = (value: number): string =>
  value < 10_000
    ? String(value)
    : value < 1_000_000
      ? `${Math.round(value / 1_000)}k`
      : `${(value / 1_000_000).toFixed(1)}M`

/** One row for each server, below a heading. */
export const renderTop = (before: Look | undefined, look: Look, columns: number): string => {
  const running = processesIn(look)
  if (running.length === 0) return "No MCP servers are configured."
  const cpu = cpuBetween(before, look)
  const rows = running.map(([name, { status, usage }]) => {
    // Calls are counted by the name of the server, whoever has it.
    const calls = look.figures[name]?.calls
    const count = (value: number | undefined) => (value === undefined ? "-" : thousands(value))
    return [
      name,
      stateWords(status),
      String(status.inFlight ?? 0),
      calls === undefined ? "-" : String(calls.callsPerMinute),
      ms(calls?.p50Ms ?? null),
      ms(calls?.p99Ms ?? null),
      count(calls?.calls),
      count(calls?.errors),
      String(status.restarts),
      cpu[name] === undefined ? "-" : `${cpu[name]}%`,
      usage === undefined ? "-" : formatBytes(usage.rssBytes),
      count(calls?.findings),
      count(calls?.resultTokens)
    ]
  })
  return table(fitting([HEADING, ...rows], columns, LESS_NEEDED, ["SERVER"]))
}
