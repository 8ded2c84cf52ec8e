/** So many of a server's requests in any minute, and no more. */

const MINUTE_MS = 60_000
/** Servers that may be remembered without having asked for anything in the last minute. */
const QUIET_KEPT_MAX = 64

/** Gives a function that says whether one more is allowed now, and counts it if it is. */
export const make = (limit: number): ((server: string, now: number) => boolean) => {
  const asked = new Map<string, ReadonlyArray<number>>()

  const recent = (times: ReadonlyArray<number>, now: number) => times.filter((time) => now - time < MINUTE_MS)

  /** Servers of sessions come and go, and may not pile up. */
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
