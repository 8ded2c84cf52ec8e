/** A session goes on, whatever happens to its node, unless the database never knew it. */
import type { Facts, Violation } from "./facts.ts"

/** A session is written a moment after it was opened. */
const WRITTEN_MS = 3_000

export const sessions = ({ faults, kills, seen }: Facts): ReadonlyArray<Violation> => {
  const outages = faults.filter(({ kind }) => kind === "database" || kind === "silence")
  return seen.sessionsLost.flatMap(({ at, opened, session }): ReadonlyArray<Violation> => {
    const wasUnwritten = outages.some((outage) => outage.at - WRITTEN_MS <= opened && opened <= (outage.until ?? at))
    const isExcused = wasUnwritten && kills.some((kill) => kill.at >= opened && kill.at <= at)
    if (isExcused) return []
    const ages = `opened ${new Date(opened).toISOString()}, lost ${new Date(at).toISOString()}`
    return [{ promise: "a session goes on at another node", detail: `${session}: ${ages}` }]
  })
}
