/** The limit of each client is kept for all nodes together: at most 5 % over in any minute, also while the database is away. */
import { LIMIT } from "../servers.ts"
import type { Facts, Violation } from "./facts.ts"

type Seen = Pick<Facts, "calls" | "executions">

const OVER = 1.05
const MINUTE_MS = 60_000
const PER_MS = LIMIT.perMinute / MINUTE_MS

export interface Use {
  readonly client: string
  /** Executions in all, and what was allowed in that time. */
  readonly executed: number
  readonly allowed: number
  /** The largest part of what is allowed in a minute, in any minute. */
  readonly worst: number
  /** Calls that the limit refused. */
  readonly refused: number
}

const LIMITED = /too many calls/

const useBy = (client: string, { calls, executions }: Seen): Use | undefined => {
  const own = calls.filter((call) => call.server === "limited" && call.client === client)
  const times = own
    .flatMap(({ id }) => (executions.get(id) ?? []).map(({ at }) => at))
    .toSorted((one, other) => one - other)
  if (times.length === 0) return undefined
  const refused = own.filter(({ text = "" }) => LIMITED.test(text)).length
  const inMinute = LIMIT.burst + LIMIT.perMinute
  let worst = 0
  let from = 0
  times.forEach((at, index) => {
    while (times[from]! < at - MINUTE_MS) from++
    worst = Math.max(worst, (index - from + 1) / inMinute)
  })
  const lasted = times.at(-1)! - times[0]!
  return { client, executed: times.length, allowed: Math.floor(LIMIT.burst + lasted * PER_MS), worst, refused }
}

/** Each client has a limit of its own. */
export const usesOf = (seen: Seen): ReadonlyArray<Use> =>
  [...new Set(seen.calls.filter(({ server }) => server === "limited").map(({ client }) => client))].flatMap(
    (client) => useBy(client, seen) ?? []
  )

export const limits = (facts: Facts): ReadonlyArray<Violation> =>
  usesOf(facts).flatMap(({ allowed, client, executed, worst }) => {
    if (worst <= OVER && executed <= allowed * OVER) return []
    const detail = `${client}: ${executed} calls where ${allowed} are allowed; in the worst minute ${Math.round(worst * 100)} %`
    return [{ promise: "a limit is one for all nodes", detail }]
  })
