/** What a server lists is kept by identity with what was made of it: cleaning a long list costs. */

interface Made<A> {
  readonly server: string
  /** Of the secrets that were known then. */
  readonly version: number
  readonly made: A
}

export type Known<D extends object, A> = WeakMap<D, Made<A>>

/**
 * `make`, once for each definition: what it made is kept for as long as the definition, for one server, and until another
 * secret is known. Those who share `known` share what was made.
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
