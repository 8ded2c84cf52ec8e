/** A part of a text with something undone in it, and where each place of it stands in the text. */

/** What one character, or none, was made from. */
export interface Undone {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface View {
  readonly text: string
  /** Where the text begins that the characters from `start` to `end` of this view were made from, and where it ends. */
  readonly origin: (start: number, end: number) => { readonly start: number; readonly end: number }
}

/** A part that begins at `from`, with what is undone in its place: in order, and nothing of it twice. */
export const viewOf = (part: string, undone: ReadonlyArray<Undone>, from: number): View => {
  const parts: Array<string> = []
  /** Where in the view each of them begins. */
  const places: Array<number> = []
  let [length, copied] = [0, 0]
  for (const { end, start, text: made } of undone) {
    parts.push(part.slice(copied, start), made)
    length += start - copied
    places.push(length)
    length += made.length
    copied = end
  }
  parts.push(part.slice(copied))

  /** The last one that begins at or before a place; -1 for none. */
  const lastUpTo = (place: number) => {
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (places[middle]! <= place) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  const locate = (place: number) => {
    const index = lastUpTo(place)
    if (index === -1) return { start: place, end: place + 1 }
    const { end, start, text: made } = undone[index]!
    const beyond = place - places[index]! - made.length
    return beyond < 0 ? { start, end } : { start: end + beyond, end: end + beyond + 1 }
  }

  return {
    text: parts.join(""),
    origin: (start, end) => ({ start: from + locate(start).start, end: from + locate(end - 1).end })
  }
}
