/** How many agent requests each client may send in a minute. Of many clients, those that sent none for longest are forgotten. */
import { makeRecent } from "../../../schemas/data/Newest.ts"
import { ORDER_CLIENTS_MAX } from "../../../schemas/defaults/Orders.ts"
import { makeSlidingWindow, type SlidingWindow } from "../../../system/slidingWindow.ts"

const MINUTE_MS = 60_000

export const makeQuota = (perMinute: number, maxClients: number = ORDER_CLIENTS_MAX) => {
  const clients = makeRecent<SlidingWindow>(maxClients)
  return {
    /** Counts one more, or gives the milliseconds until one more is allowed. */
    take: (client: string, now: number): number | undefined => {
      if (perMinute === 0) return undefined
      const placed = clients(client, () => makeSlidingWindow(perMinute, MINUTE_MS))
      return placed.take(now) ? undefined : placed.waitMs(now)
    }
  }
}
