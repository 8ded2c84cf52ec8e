/**
 * Keeps what pure functions return. A caller cannot tell a kept result from a fresh one, so `npm run lint` allows these two in a
 * module, where it allows no other state.
 */

/** `make`, called once when the result is first needed. */
export const lazy = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** `make`, called once for each object. The result is kept as long as the object. */
export const memoOf = <K extends object, A extends {}>(make: (key: K) => A): ((key: K) => A) => {
  const known = new WeakMap<K, A>()
  return (key) => {
    let made = known.get(key)
    if (made === undefined) known.set(key, (made = make(key)))
    return made
  }
}

/** `make`, called once for each of the first `max` keys, and for every other key each time. */
export const memoUpTo = <K, A extends {}>(max: number, make: (key: K) => A): ((key: K) => A) => {
  const known = new Map<K, A>()
  return (key) => {
    const before = known.get(key)
    if (before !== undefined) return before
    const made = make(key)
    if (known.size < max) known.set(key, made)
    return made
  }
}
