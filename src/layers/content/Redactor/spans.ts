/** Merges, replaces and compares places in a text. */

export interface Place {
  readonly start: number
  readonly end: number
}

/** Sorted by beginning; the longer one first. */
const inOrder = (places: ReadonlyArray<Place>) => places.toSorted((a, b) => a.start - b.start || b.end - a.end)

/** Replaces places in a text from its beginning on. */
export interface Replacing {
  /** Adds places, and promises that none before `settled` will follow. */
  readonly add: (places: ReadonlyArray<Place>, settled: number) => void
  /** The text with all places replaced; the same string when there are none. */
  readonly end: () => string
}

/** Overlapping places are replaced together, so that no rest remains. Existing masks stay. */
export const replacing = (text: string, mask: string): Replacing => {
  const done: Array<string> = []
  let [copied, nextMask] = [0, text.indexOf(mask)]
  let waiting: ReadonlyArray<Place> = []
  let settledTo = 0
  let open: { start: number; end: number } | undefined

  const isMask = ({ end, start }: Place): boolean => {
    while (nextMask !== -1 && nextMask + mask.length <= start) nextMask = text.indexOf(mask, nextMask + mask.length)
    return nextMask !== -1 && nextMask < end
  }

  const add = (places: ReadonlyArray<Place>, settled: number) => {
    if (places.length === 0 && waiting.length === 0 && open === undefined) return
    const parts: Array<string> = []
    const close = () => {
      if (open === undefined) return
      parts.push(text.slice(copied, open.start), mask)
      copied = open.end
      open = undefined
    }
    // Places before this may have been found twice.
    const known = inOrder([...waiting, ...places.filter(({ start }) => start >= settledTo)])
    settledTo = settled
    const later = known.findIndex(({ start }) => start >= settled)
    waiting = later === -1 ? [] : known.slice(later)
    for (const place of later === -1 ? known : known.slice(0, later)) {
      if (isMask(place)) continue
      if (open !== undefined && place.start < open.end) open.end = Math.max(open.end, place.end)
      else {
        close()
        open = { start: place.start, end: place.end }
      }
    }
    if (open !== undefined && open.end <= settled) close()
    if (parts.length > 0) done.push(parts.join(""))
  }

  return {
    add,
    end: () => {
      add([], Number.POSITIVE_INFINITY)
      return done.length === 0 ? text : [...done, text.slice(copied)].join("")
    }
  }
}

export const replaceAll = (text: string, places: ReadonlyArray<Place>, mask: string): string => {
  if (places.length === 0) return text
  const replaced = replacing(text, mask)
  replaced.add(places, Number.POSITIVE_INFINITY)
  return replaced.end()
}

/** Whether each of these lies within one of those. */
export const covered = (these: ReadonlyArray<Place>, those: ReadonlyArray<Place>): boolean => {
  const covering = inOrder(those)
  let [next, reaching] = [0, -1]
  return inOrder(these).every(({ end, start }) => {
    for (; next < covering.length && covering[next]!.start <= start; next++) {
      reaching = Math.max(reaching, covering[next]!.end)
    }
    return end <= reaching
  })
}

/** Checks whether places that arrive in steps lie within others that arrive with them. */
export interface Covering {
  /** Adds places like `Replacing`; returns whether each settled one of these lies within one of those. */
  readonly add: (these: ReadonlyArray<Place>, those: ReadonlyArray<Place>, settled: number) => boolean
}

export const covering = (): Covering => {
  let [waiting, around]: [ReadonlyArray<Place>, ReadonlyArray<Place>] = [[], []]
  return {
    add: (these, those, settled) => {
      const all = waiting.length === 0 ? these : [...waiting, ...these]
      const judged = all.filter(({ start }) => start < settled)
      waiting = judged.length === all.length ? [] : all.filter(({ start }) => start >= settled)
      around = around.length === 0 ? those : [...around, ...those]
      const areCovered = judged.length === 0 || covered(judged, around)
      around = around.filter(({ end }) => end > settled)
      return areCovered
    }
  }
}
