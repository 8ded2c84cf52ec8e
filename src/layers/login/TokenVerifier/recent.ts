/** The latest entries of a map, up to so many. */
export const makeRecent = <A>(max: number) => {
  const all = new Map<string, A>()
  return {
    get: (key: string): A | undefined => all.get(key),
    delete: (key: string): void => void all.delete(key),
    set: (key: string, value: A): void => {
      all.delete(key)
      all.set(key, value)
      if (all.size > max) all.delete(all.keys().next().value as string)
    }
  }
}
