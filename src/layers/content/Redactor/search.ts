/**
 * Finds many known texts in one pass. A hash of the last three characters of a window, which is as long as the shortest text,
 * tells how far the window may move without missing a beginning. Texts are compared only where the hash matches a beginning;
 * of texts that begin alike (`Bearer …`) only those with the right end. The time does not grow with the number of known
 * texts.
 */

export interface Search<A> {
  /** Returns the object for `text`, made by `make` unless it exists. Texts have at least `prefix` characters. */
  readonly add: (text: string, make: () => A) => A
  readonly isEmpty: () => boolean
  /**
   * The matches in order. Of the wanted texts that begin at one position the longest counts; within a match of the same text
   * it is not searched again.
   */
  readonly find: (text: string, wanted: (of: A) => boolean) => ReadonlyArray<Hit<A>>
}

export interface Hit<A> {
  readonly start: number
  readonly end: number
  readonly of: A
}

interface Known<A> {
  readonly text: string
  readonly of: A
  /** Where the last match in the current text ended. */
  hitUntil: number
}

/** Texts of one length that may begin alike. */
interface SameLength<A> {
  readonly length: number
  /** The only one of this length, if so. Where it was found, it is not searched again. */
  alone: Known<A> | undefined
  /** Checked first: quickly rules out texts of one repeated character. */
  readonly lastUnits: Set<number>
  readonly byEnd: Map<string, Array<Known<A>>>
}

/** Long enough to distinguish credentials, short enough to cut out at every candidate. */
const END_CHARS = 16

const endOf = (text: string, end: number, length: number) => text.slice(end - Math.min(length, END_CHARS), end)

/** The hash shifts by three bits per character, so that the last few all count. */
const SHIFT = 3
const TAIL_BITS = 16
const TAIL_MASK = (1 << TAIL_BITS) - 1

export const make = <A>(prefix: number): Search<A> => {
  const known = new Map<string, A>()
  const hashMask = (1 << (SHIFT * prefix)) - 1
  /** How far the window may move for each hash of its last three characters. */
  const moves = new Uint8Array(TAIL_MASK + 1).fill(prefix - 2)
  /** Whether a known text may begin with this hash. */
  const mayBegin = new Int32Array(((hashMask + 1) >> 5) + 1)
  const buckets = new Map<number, Array<SameLength<A>>>()

  const hashAt = (text: string, start: number) => {
    let hash = 0
    for (let index = start; index < start + prefix; index++) {
      hash = ((hash << SHIFT) ^ text.charCodeAt(index)) & hashMask
    }
    return hash
  }

  const tailAt = (text: string, end: number) =>
    (text.charCodeAt(end) ^ (text.charCodeAt(end - 1) << 5) ^ (text.charCodeAt(end - 2) << 10)) & TAIL_MASK

  /** The longest come first. */
  const addTo = (bucket: Array<SameLength<A>>, added: Known<A>) => {
    const { length } = added.text
    let place = bucket.findIndex((other) => other.length <= length)
    if (place === -1) place = bucket.length
    const isFirst = bucket[place]?.length !== length
    if (isFirst) bucket.splice(place, 0, { length, alone: added, lastUnits: new Set(), byEnd: new Map() })
    else bucket[place]!.alone = undefined
    const { byEnd, lastUnits } = bucket[place]!
    lastUnits.add(added.text.charCodeAt(length - 1))
    const end = endOf(added.text, length, length)
    const alike = byEnd.get(end)
    if (alike === undefined) byEnd.set(end, [added])
    else alike.push(added)
  }

  const add = (text: string, make: () => A): A => {
    const present = known.get(text)
    if (present !== undefined) return present
    const of = make()
    known.set(text, of)
    const hash = hashAt(text, 0)
    const bucket = buckets.get(hash) ?? []
    addTo(bucket, { text, of, hitUntil: 0 })
    buckets.set(hash, bucket)
    mayBegin[hash >> 5]! |= 1 << (hash & 31)
    for (let end = 2; end < prefix; end++) {
      const tail = tailAt(text, end)
      moves[tail] = Math.min(moves[tail]!, prefix - 1 - end)
    }
    return of
  }

  const longestAt = (text: string, start: number, hash: number, wanted: (of: A) => boolean) => {
    for (const { alone, byEnd, lastUnits, length } of buckets.get(hash) ?? []) {
      if (alone !== undefined && start < alone.hitUntil) continue
      const end = start + length
      if (end > text.length || !lastUnits.has(text.charCodeAt(end - 1))) continue
      const found = byEnd
        .get(endOf(text, end, length))
        ?.find(
          (candidate) => start >= candidate.hitUntil && wanted(candidate.of) && text.startsWith(candidate.text, start)
        )
      if (found !== undefined) return found
    }
    return undefined
  }

  const find = (text: string, wanted: (of: A) => boolean): ReadonlyArray<Hit<A>> => {
    if (known.size === 0 || text.length < prefix) return []
    const hits: Array<Hit<A>> = []
    const hit: Array<Known<A>> = []
    for (let last = prefix - 1; last < text.length;) {
      const move = moves[tailAt(text, last)]!
      if (move > 0) {
        last += move
        continue
      }
      const start = last + 1 - prefix
      last++
      const hash = hashAt(text, start)
      if (((mayBegin[hash >> 5]! >> (hash & 31)) & 1) === 0) continue
      const found = longestAt(text, start, hash, wanted)
      if (found === undefined) continue
      found.hitUntil = start + found.text.length
      hit.push(found)
      hits.push({ start, end: found.hitUntil, of: found.of })
    }
    for (const found of hit) found.hitUntil = 0
    return hits
  }

  return { add, isEmpty: () => known.size === 0, find }
}
