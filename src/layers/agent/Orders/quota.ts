/** How many orders a client has placed in the last minute. Of the clients that were not heard of for the longest time, nothing is kept. */
import { ORDER_CLIENTS_MAX } from "../../../schemas/defaults/Orders.ts"

const MINUTE_MS = 60_000

export const makeQuota = (perMinute: number, maxClients: number = ORDER_CLIENTS_MAX) => {
  const clients = new Map<string, ReadonlyArray<number>>()
  return {
    /** Counts one more; or says how many milliseconds it takes until one more may come. */
    take: (client: string, now: number): number | undefined => {
      if (perMinute === 0) return undefined
      const recent = (clients.get(client) ?? []).filter((at) => at > now - MINUTE_MS)
      const isOver = recent.length >= perMinute
      clients.delete(client)
      clients.set(client, isOver ? recent : [...recent, now])
      if (clients.size > maxClients) clients.delete(clients.keys().next().value!)
      return isOver ? recent[0]! + MINUTE_MS - now : undefined
    }
  }
}
