/** Globs with `*` (any characters, also none) and `?` (one character). Nothing else is special. */

/**
 * Whether the whole of `text` matches; case matters. After a mismatch only the last `*` takes one more character, so the work
 * is at most the product of the lengths. `?` matches a whole code point.
 */
export const matchesGlob = (pattern: string, text: string): boolean => {
  let [p, t, star, resume] = [0, 0, -1, 0]
  while (t < text.length) {
    const wanted = pattern[p]
    if (wanted === "*") {
      star = p++
      resume = t
    } else if (wanted === "?") {
      p++
      t += characterLength(text, t)
    } else if (wanted !== undefined && wanted === text[t]) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++resume
    } else {
      return false
    }
  }
  while (pattern[p] === "*") p++
  return p === pattern.length
}

const characterLength = (text: string, at: number) => (text.codePointAt(at)! > 0xffff ? 2 : 1)

/** The positions in the pattern that a text with this beginning reaches. The work is at most the product of the lengths. */
const placesAfter = (wanted: ReadonlyArray<string>, beginning: string): ReadonlySet<number> => {
  // After a `*` both behind it and still at it.
  const past = (at: Iterable<number>): Set<number> => {
    const places = new Set<number>()
    for (let place of at) {
      places.add(place)
      while (wanted[place] === "*") places.add(++place)
    }
    return places
  }
  let places = past([0])
  for (const char of beginning) {
    const next: Array<number> = []
    for (const place of places) {
      if (wanted[place] === "*") next.push(place)
      else if (wanted[place] === "?" || wanted[place] === char) next.push(place + 1)
    }
    places = past(next)
  }
  return places
}

/** Whether a text that begins with `beginning` can match at all. */
export const mayBegin = (pattern: string, beginning: string): boolean => placesAfter([...pattern], beginning).size > 0

/** What of the pattern is for the rest of a text that begins with `beginning`: a text matches if its rest matches one of these. */
export const restsAfter = (pattern: string, beginning: string): ReadonlyArray<string> => {
  const wanted = [...pattern]
  const places = placesAfter(wanted, beginning)
  return [...places]
    .filter((place) => !(wanted[place - 1] === "*" && places.has(place - 1)))
    .map((place) => wanted.slice(place).join(""))
}
