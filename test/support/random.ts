/** Numbers that look random and are the same for the same seed (Mulberry32). */

export interface Generator {
  /** A whole number from 0 up to the limit, which it never is. */
  readonly below: (limit: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <A>(list: ReadonlyArray<A>) => A
}

export const generator = (seed: number): Generator => {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, chance: (share) => next() < share, pick: (list) => list[below(list.length)]! }
}
