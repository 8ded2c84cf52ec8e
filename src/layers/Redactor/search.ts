/**
 * Finds many known texts in one pass. The last three characters of a window as long as the shortest text tell how far it
 * may move without passing a beginning by; only where they are the end of a beginning is anything compared. The time does
 * not grow with the number of known texts.
 */

export interface Search<A> {
  /** What stands for `text` from now on: what `make` gives, or what was there already. At least `prefix` characters. */
  readonly add: (text: string, make: () => A) => A
  readonly isEmpty: () => boolean
  /**
   * Where known texts begin, in order. Of those that begin at one place and are wanted the longest is taken; one that
   * overlaps itself is not looked for again inside of it.
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
  readonly lastUnit: number
  readonly of: A
  /** Where the last hit in the current text ended. */
  hitUntil: number
}

/** A beginning moves the hash by three bits with each character, so that none of the last few is lost. */
const SHIFT = 3
const TAIL_BITS = 16
const TAIL_MASK = (1 << TAIL_BITS) - 1

export const make = <A>(prefix: number): Search<A> => {
  const known = new Map<string, A>()
  const hashMask = (1 << (SHIFT * prefix)) - 1
  /** How far the window may move when its last three characters have this hash. */
  const moves = new Uint8Array(TAIL_MASK + 1).fill(prefix - 2)
  /** Whether a known text may begin with this hash. */
  const mayBegin = new Int32Array(((hashMask + 1) >> 5) + 1)
  const buckets = new Map<number, Array<Known<A>>>()

  const hashAt = (text: string, start: number) => {
    let hash = 0
    for (let index = start; index < start + prefix; index++) {
      hash = ((hash << SHIFT) ^ text.charCodeAt(index)) & hashMask
    }
    return hash
  }

  const tailAt = (text: string, end: number) =>
    (text.charCodeAt(end) ^ (text.charCodeAt(end - 1) << 5) ^ (text.charCodeAt(end - 2) << 10)) & TAIL_MASK

  const add = (text: string, make: () => A): A => {
    const present = known.get(text)
    if (present !== undefined) return present
    const of = make()
    known.set(text, of)
    const hash = hashAt(text, 0)
    const bucket = buckets.get(hash) ?? []
    const shorter = bucket.findIndex((other) => other.text.length < text.length)
    bucket.splice(shorter === -1 ? bucket.length : shorter, 0, {
      text,
      lastUnit: text.charCodeAt(text.length - 1),
      of,
      hitUntil: 0
    })
    buckets.set(hash, bucket)
    mayBegin[hash >> 5]! |= 1 << (hash & 31)
    for (let end = 2; end < prefix; end++) {
      const tail = tailAt(text, end)
      moves[tail] = Math.min(moves[tail]!, prefix - 1 - end)
    }
    return of
  }

  const longestAt = (text: string, start: number, hash: number, wanted: (of: A) => boolean) =>
    buckets.get(hash)?.find((candidate) => {
      const end = start + candidate.text.length
      if (end > text.length || start < candidate.hitUntil) return false
      // The last character first: it tells texts of one repeated character apart at once.
      if (text.charCodeAt(end - 1) !== candidate.lastUnit || !wanted(candidate.of)) return false
      return text.startsWith(candidate.text, start)
    })

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
