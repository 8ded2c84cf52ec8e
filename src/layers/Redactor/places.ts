/** Places in a text: put together, replaced, compared. */

export interface Place {
  readonly start: number
  readonly end: number
}

/** In order of where they begin; the longer one first. */
const inOrder = (places: ReadonlyArray<Place>) => places.toSorted((a, b) => a.start - b.start || b.end - a.end)

/** Places that overlap are replaced together, so that no tail is left. What is a mask already is left alone. */
export const replaceAll = (text: string, places: ReadonlyArray<Place>, mask: string): string => {
  if (places.length === 0) return text
  const parts: Array<string> = []
  let [copied, nextMask] = [0, text.indexOf(mask)]
  let open: { start: number; end: number } | undefined
  const close = () => {
    if (open === undefined) return
    parts.push(text.slice(copied, open.start), mask)
    copied = open.end
  }
  for (const { end, start } of inOrder(places)) {
    while (nextMask !== -1 && nextMask + mask.length <= start) nextMask = text.indexOf(mask, nextMask + mask.length)
    if (nextMask !== -1 && nextMask < end) continue
    if (open !== undefined && start < open.end) open.end = Math.max(open.end, end)
    else {
      close()
      open = { start, end }
    }
  }
  close()
  return parts.length === 0 ? text : [...parts, text.slice(copied)].join("")
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
