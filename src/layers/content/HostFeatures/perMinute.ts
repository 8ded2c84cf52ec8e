/** Limits a server's requests to a number in any minute. */

const MINUTE_MS = 60_000
/** Servers without a request in the last minute that may stay in the map. */
const QUIET_KEPT_MAX = 64

/** Returns a function that says whether one more is allowed now, and counts it if so. */
export const make = (limit: number): ((server: string, now: number) => boolean) => {
  const asked = new Map<string, ReadonlyArray<number>>()

  const recent = (times: ReadonlyArray<number>, now: number) => times.filter((time) => now - time < MINUTE_MS)

  /** Limits the map, because servers of sessions come and go. */
  const forgetQuiet = (now: number) => {
    for (const [server, times] of asked) if (recent(times, now).length === 0) asked.delete(server)
  }

  return (server, now) => {
    const times = recent(asked.get(server) ?? [], now)
    if (times.length >= limit) return false
    if (asked.size > QUIET_KEPT_MAX) forgetQuiet(now)
    asked.set(server, [...times, now])
    return true
  }
}
