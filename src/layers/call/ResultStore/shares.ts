/** How many bytes of the store each client (or session) uses, and each server for it; and who gives way when it is full. */

/** A session or a client, and the server of its text. An `undefined` holder stands for all others. */
export interface Owner {
  readonly holder: symbol | string | undefined
  readonly server: string
}

interface Taken {
  readonly servers: Map<string, number>
  readonly sum: number
}

export interface Shares {
  readonly total: () => number
  /** Counts bytes; negative ones are given back. */
  readonly add: (owner: Owner, bytes: number) => void
  /** The largest server of the largest holder, counting so many new bytes of this owner. */
  readonly largest: (owner: Owner, bytes: number) => Owner
}

/** The key with the largest sum, after adding `more` to `own`; `own` when there are none. */
const mostOf = <K>(own: K, more: number, sums: Iterable<readonly [K, number]>): K => {
  let [most, name] = [0, own]
  for (const [key, sum] of sums) {
    const all = key === own ? sum + more : sum
    if (all > most) [most, name] = [all, key]
  }
  return name
}

export const makeShares = (): Shares => {
  const taken = new Map<Owner["holder"], Taken>()
  let total = 0
  return {
    total: () => total,
    add: ({ holder, server }, bytes) => {
      total += bytes
      const { servers, sum } = taken.get(holder) ?? { servers: new Map<string, number>(), sum: 0 }
      const ofServer = (servers.get(server) ?? 0) + bytes
      if (ofServer === 0) servers.delete(server)
      else servers.set(server, ofServer)
      if (servers.size === 0) taken.delete(holder)
      else taken.set(holder, { servers, sum: sum + bytes })
    },
    largest: (fresh, bytes) => {
      // A new holder counts as well: its large text must not push out the small ones of others.
      const sums = new Map([[fresh.holder, 0], ...[...taken].map(([other, { sum }]) => [other, sum] as const)])
      const holder = mostOf(fresh.holder, bytes, sums)
      const servers = taken.get(holder)?.servers ?? []
      return { holder, server: mostOf(fresh.server, holder === fresh.holder ? bytes : 0, servers) }
    }
  }
}

/** A string needs two bytes per character if one of them is not Latin-1; text that is not plain ASCII is counted like that. */
export const memoryOf = (text: string, bytes: number): number =>
  bytes > text.length ? Math.max(bytes, 2 * text.length) : bytes
