/**
 * Maps and sets that keep what was put there last. Both remember the order in which their keys were added, so the oldest comes first.
 * Effect's `Cache` does the same for what an effect looks up.
 */

/** Removes the oldest keys while there are more than `max`. */
export const keepNewest = (kept: Map<unknown, unknown> | Set<unknown>, max: number): void => {
  for (const oldest of kept.keys()) {
    if (kept.size <= max) return
    kept.delete(oldest)
  }
}

/** Puts a value as the newest. */
export const putNewest = <K, V>(kept: Map<K, V>, key: K, value: V, max: number): void => {
  kept.delete(key)
  kept.set(key, value)
  keepNewest(kept, max)
}

/** Adds a value as the newest. */
export const addNewest = <V>(kept: Set<V>, value: V, max: number): void => {
  kept.delete(value)
  kept.add(value)
  keepNewest(kept, max)
}

/** Gives the value of a key, and makes it if there is none. Of more than `max` values, those that were not wanted for longest go. */
export const makeRecent = <A extends {}>(max: number): ((key: string, make: () => A) => A) => {
  const kept = new Map<string, A>()
  return (key, make) => {
    const value = kept.get(key) ?? make()
    putNewest(kept, key, value, max)
    return value
  }
}
