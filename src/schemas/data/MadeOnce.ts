/** Caches what was made of a server's definitions by their identity, because cleaning a long list is expensive. */

interface Made<A> {
  readonly server: string
  /** The version of the secrets that were known then. */
  readonly version: number
  readonly made: A
}

export type Known<D extends object, A> = WeakMap<D, Made<A>>

/**
 * Calls `make` once per definition. The result is cached as long as the definition exists, for one server, and until another
 * secret is registered. Callers that share `known` share the cache.
 */
export const madeOnce =
  <D extends object, A>(
    make: (server: string, definition: D) => A,
    version: () => number,
    known: Known<D, A> = new WeakMap()
  ) =>
  (server: string, definition: D): A => {
    const before = known.get(definition)
    if (before?.server === server && before.version === version()) return before.made
    const fresh = { server, version: version(), made: make(server, definition) }
    known.set(definition, fresh)
    return fresh.made
  }
