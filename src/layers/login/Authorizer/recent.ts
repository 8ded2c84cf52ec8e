/** Makes what is wanted under a key and keeps it, within a bound: what was not wanted for longest goes. */

export const makeRecent = <A>(max: number): ((key: string, make: () => A) => A) => {
  const kept = new Map<string, A>()
  return (key, make) => {
    const known = kept.get(key)
    const value = known === undefined ? make() : known
    // A map keeps the order in which its keys were put there.
    kept.delete(key)
    kept.set(key, value)
    for (const oldest of kept.keys()) {
      if (kept.size <= max) break
      kept.delete(oldest)
    }
    return value
  }
}
