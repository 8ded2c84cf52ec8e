/** The figures of `top` as a table. Pure. */
import type { FiguresValue } from "../../../schemas/control/FiguresValue.ts"
import { fitting, formatBytes, table } from "../../../schemas/content/Rendering.ts"

/** One look at the figures. */
export interface Look {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly figures: FiguresValue
}

/** The share of one processor that each server used between two looks, in percent; `undefined` if that is not known. */
export const cpuBetween = (before: Look | undefined, { at, figures }: Look): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(figures).flatMap(([name, { status, usage }]) => {
      const last = before?.figures[name]
      // Another process has another beginning.
      if (before === undefined || usage === undefined || last?.usage === undefined || last.status.pid !== status.pid)
        return []
      const passed = at - before.at
      const percent = passed <= 0 ? 0 : ((usage.cpuMs - last.usage.cpuMs) / passed) * 100
      return [[name, Math.max(0, Math.round(percent * 10) / 10)]]
    })
  )

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
const LESS_NEEDED = ["TOKENS", "FINDINGS", "RESTARTS", "CALLS", "P50", "CPU"]

const ms = (value: number | null): string => (value === null ? "-" : `${Math.round(value)} ms`)

const thousands = (value: number): string =>
  value < 10_000
    ? String(value)
    : value < 1_000_000
      ? `${Math.round(value / 1_000)}k`
      : `${(value / 1_000_000).toFixed(1)}M`

/** One row for each server, below a heading. */
export const renderTop = (before: Look | undefined, look: Look, columns: number): string => {
  const servers = Object.entries(look.figures)
  if (servers.length === 0) return "No MCP servers are configured."
  const cpu = cpuBetween(before, look)
  const rows = servers.map(([name, { calls, status, usage }]) => [
    name,
    status.state,
    String(status.inFlight ?? 0),
    String(calls.callsPerMinute),
    ms(calls.p50Ms),
    ms(calls.p99Ms),
    thousands(calls.calls),
    thousands(calls.errors),
    String(status.restarts),
    cpu[name] === undefined ? "-" : `${cpu[name]}%`,
    usage === undefined ? "-" : formatBytes(usage.rssBytes),
    thousands(calls.findings),
    thousands(calls.resultTokens)
  ])
  return table(fitting([HEADING, ...rows], columns, LESS_NEEDED))
}
