/** The last of many things, by their numbers: adding one costs the same, however many there are. */

export interface Numbered<A> {
  readonly seq: number
  readonly value: A
}

export interface Ring<A> {
  /** `seq` must be greater than all before. */
  readonly push: (seq: number, value: A) => void
  /** The first of those after `seq` that are still kept, at most `max`. */
  readonly after: (seq: number, max: number) => ReadonlyArray<Numbered<A>>
  readonly at: (seq: number) => A | undefined
  /** All that are kept, the oldest first. */
  readonly all: () => ReadonlyArray<Numbered<A>>
}

export const makeRing = <A>(max: number): Ring<A> => {
  const kept: Array<Numbered<A>> = []
  /** The place of the oldest one, once the ring is full. */
  let oldest = 0
  const nth = (i: number): Numbered<A> => kept[(oldest + i) % kept.length]!

  /** How many are not after `seq`. */
  const until = (seq: number): number => {
    let [low, high] = [0, kept.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (nth(middle).seq <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  const slice = (from: number, count: number) =>
    Array.from({ length: Math.max(0, Math.min(count, kept.length - from)) }, (_, i) => nth(from + i))

  return {
    push: (seq, value) => {
      if (kept.length < max) kept.push({ seq, value })
      else {
        kept[oldest] = { seq, value }
        oldest = (oldest + 1) % max
      }
    },
    after: (seq, count) => slice(until(seq), count),
    at: (seq) => {
      const i = until(seq) - 1
      return i >= 0 && nth(i).seq === seq ? nth(i).value : undefined
    },
    all: () => slice(0, kept.length)
  }
}
