/** A limit is kept for all nodes together: at most 5 % over in any minute, also while the database is away. */
import { LIMIT } from "../servers.ts"
import type { Facts, Violation } from "./facts.ts"

const OVER = 1.05
const MINUTE_MS = 60_000
const PER_MS = LIMIT.perMinute / MINUTE_MS

export interface Use {
  /** Executions in all, and what was allowed in that time. */
  readonly executed: number
  readonly allowed: number
  /** The largest part of what is allowed in a minute, in any minute. */
  readonly worst: number
}

export const useOf = ({ calls, executions }: Pick<Facts, "calls" | "executions">): Use | undefined => {
  const times = calls
    .filter(({ server }) => server === "limited")
    .flatMap(({ id }) => (executions.get(id) ?? []).map(({ at }) => at))
    .toSorted((one, other) => one - other)
  if (times.length === 0) return undefined
  const inMinute = LIMIT.burst + LIMIT.perMinute
  let worst = 0
  let from = 0
  times.forEach((at, index) => {
    while (times[from]! < at - MINUTE_MS) from++
    worst = Math.max(worst, (index - from + 1) / inMinute)
  })
  const lasted = times.at(-1)! - times[0]!
  return { executed: times.length, allowed: Math.floor(LIMIT.burst + lasted * PER_MS), worst }
}

export const limits = (facts: Facts): ReadonlyArray<Violation> => {
  const use = useOf(facts)
  if (use === undefined) return []
  const { allowed, executed, worst } = use
  if (worst <= OVER && executed <= allowed * OVER) return []
  const detail = `${executed} calls where ${allowed} are allowed; in the worst minute ${Math.round(worst * 100)} %`
  return [{ promise: "a limit is one for all nodes", detail }]
}
