/** Counts the requests of each client in the last minute. Clients without recent requests are forgotten. */
import { ORDER_CLIENTS_MAX } from "../../../schemas/defaults/Orders.ts"

const MINUTE_MS = 60_000

export const makeQuota = (perMinute: number, maxClients: number = ORDER_CLIENTS_MAX) => {
  const clients = new Map<string, ReadonlyArray<number>>()
  return {
    /** Counts one more; or returns the milliseconds until one more is allowed. */
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
