/**
 * Finds many known texts in one pass. A rolling hash of the last few characters asks a small bit set whether a known text
 * may start there; only then are candidates compared. The time does not grow with the number of known texts.
 */

export interface Search {
  /** `text` must have at least `prefix` characters. Adding it again changes nothing. */
  readonly add: (text: string) => void
  /**
   * Replaces every place by `mask`. Of the texts that start at one place the longest is taken; texts that overlap are
   * masked together, so that no tail is left. Gives the same string back when nothing is found.
   */
  readonly replaceAll: (text: string, mask: string) => string
}

interface Known {
  readonly text: string
  readonly lastUnit: number
  /** Where the last hit in the current text ended: a text that overlaps itself is not compared again inside it. */
  hitUntil: number
}

interface Span {
  readonly start: number
  end: number
}

/** Each character moves the hash by three bits, so that after `prefix` characters nothing of it is left in the mask. */
const SHIFT = 3

export const make = (prefix: number): Search => {
  const hashBits = (1 << (SHIFT * prefix)) - 1
  const mayStart = new Int32Array(((hashBits + 1) >> 5) + 1)
  const buckets = new Map<number, Array<Known>>()

  const hashOf = (text: string) => {
    let hash = 0
    for (let index = 0; index < prefix; index++) hash = ((hash << SHIFT) ^ text.charCodeAt(index)) & hashBits
    return hash
  }

  const add = (text: string) => {
    const hash = hashOf(text)
    const bucket = buckets.get(hash) ?? []
    if (bucket.some((known) => known.text === text)) return
    bucket.push({ text, lastUnit: text.charCodeAt(text.length - 1), hitUntil: 0 })
    buckets.set(
      hash,
      bucket.toSorted((a, b) => b.text.length - a.text.length)
    )
    mayStart[hash >> 5]! |= 1 << (hash & 31)
  }

  const longestAt = (text: string, start: number, hash: number): Known | undefined =>
    buckets.get(hash)?.find((known) => {
      const end = start + known.text.length
      // Near the beginning of the text the start is negative, and so before every hit.
      if (end > text.length || start < known.hitUntil) return false
      // The last character first: it tells texts of one repeated character apart at once.
      return text.charCodeAt(end - 1) === known.lastUnit && text.startsWith(known.text, start)
    })

  const spansIn = (text: string): ReadonlyArray<Span> => {
    const spans: Array<Span> = []
    const hits: Array<Known> = []
    let hash = 0
    for (let index = 0; index < text.length; index++) {
      hash = ((hash << SHIFT) ^ text.charCodeAt(index)) & hashBits
      if (((mayStart[hash >> 5]! >> (hash & 31)) & 1) === 0) continue
      const start = index + 1 - prefix
      const known = longestAt(text, start, hash)
      if (known === undefined) continue
      known.hitUntil = start + known.text.length
      hits.push(known)
      const last = spans.at(-1)
      if (last === undefined || start >= last.end) spans.push({ start, end: known.hitUntil })
      else last.end = Math.max(last.end, known.hitUntil)
    }
    for (const known of hits) known.hitUntil = 0
    return spans
  }

  const replaceAll = (text: string, mask: string) => {
    if (buckets.size === 0 || text.length < prefix) return text
    const spans = spansIn(text)
    if (spans.length === 0) return text
    const kept = spans.map((span, index) => text.slice(spans[index - 1]?.end ?? 0, span.start))
    return [...kept, text.slice(spans.at(-1)?.end)].join(mask)
  }

  return { add, replaceAll }
}
