/**
 * Tells in one pass where one of many stems stands in a text, however many there are: an automaton over their letters,
 * without regard to case and accents. Built once.
 */

/** Called for every place where a stem of the group begins, in the order in which the stems end. */
export type OnStem = (group: number, start: number) => void
export type StemFinder = (text: string, onStem: OnStem) => void

/** Per group its stems. */
export const makeStemFinder = (groups: ReadonlyArray<ReadonlyArray<string>>): StemFinder => {
  const stems = groups.map((group) => [...new Set(group.map(plainLetters))])
  const { classes, widthBits } = letterClasses(stems.flat().join(""))
  const { ends, firstEnd, next } = makeAutomaton(stems, classes, widthBits)

  return (text, onStem) => {
    let state = 0
    for (let index = 0; index < text.length; index++) {
      state = next[(state << widthBits) | classes[text.charCodeAt(index)]!]!
      if (state < firstEnd) continue
      for (const { group, length } of ends[state - firstEnd]!) onStem(group, index - length + 1)
    }
  }
}

// ---- letters -----------------------------------------------------------------------------------------------------------

/** Scripts in which a letter may be written with or without its accent. In others the parts of a letter are letters. */
const ACCENTED = /[a-z\u00c0-\u024f\u0400-\u052f\u0621-\u064a]/i
const ALPHABETIC: ReadonlyArray<readonly [first: number, last: number]> = [
  [0x41, 0x24f],
  [0x400, 0x52f],
  [0x621, 0x64a]
]
/** Letters that are another one with a sign on it, though Unicode has them as one. */
const SIGNED: Record<string, string> = { ı: "i", ى: "ي", ة: "ه", ٱ: "ا" }

const plainLetter = (char: string): string => {
  const lower = char.toLowerCase()
  if (!ACCENTED.test(lower)) return lower
  const bare = lower.normalize("NFD")[0] ?? lower
  return SIGNED[bare] ?? bare
}

/** In lower case, without accents. */
export const plainLetters = (text: string): string => Array.from(text.normalize("NFC"), plainLetter).join("")

/** Letters by their number; 0 is every character that is in no stem. The frequent ones come first, near one another. */
const letterClasses = (letters: string) => {
  const counts = new Map<string, number>()
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  const byFrequency = [...counts.keys()].toSorted((one, other) => counts.get(other)! - counts.get(one)!)
  const numbers = new Map(byFrequency.map((letter, index) => [letter, index + 1]))

  const classes = new Uint16Array(0x10000)
  for (const [letter, number] of numbers) classes[letter.charCodeAt(0)] = number
  for (const [first, last] of ALPHABETIC) {
    for (let code = first; code <= last; code++) {
      classes[code] ||= numbers.get(plainLetter(String.fromCharCode(code))) ?? 0
    }
  }
  return { classes, widthBits: Math.ceil(Math.log2(byFrequency.length + 1)) }
}

// ---- the automaton -----------------------------------------------------------------------------------------------------

interface End {
  readonly group: number
  readonly length: number
}

/** The states in which a stem ends have the highest numbers, so that one comparison tells them from the others. */
const makeAutomaton = (stems: ReadonlyArray<ReadonlyArray<string>>, classes: Uint16Array, widthBits: number) => {
  const width = 1 << widthBits
  const rows: Array<Uint16Array> = [new Uint16Array(width)]
  const ends: Array<ReadonlyArray<End>> = [[]]

  for (const [group, own] of stems.entries()) {
    for (const stem of own) {
      let state = 0
      for (let index = 0; index < stem.length; index++) {
        const letter = classes[stem.charCodeAt(index)]!
        if (rows[state]![letter] === 0) {
          rows[state]![letter] = rows.push(new Uint16Array(width)) - 1
          ends.push([])
        }
        state = rows[state]![letter]!
      }
      ends[state] = [...ends[state]!, { group, length: stem.length }]
    }
  }

  // Breadth first: where a state has no way on for a letter, it goes on as its longest proper suffix does.
  const fallback = new Uint16Array(rows.length)
  const queue = [0]
  for (const state of queue) {
    const row = rows[state]!
    for (let letter = 1; letter < width; letter++) {
      const suffix = state === 0 ? 0 : rows[fallback[state]!]![letter]!
      const child = row[letter]!
      if (child === 0) {
        row[letter] = suffix
        continue
      }
      fallback[child] = suffix
      ends[child] = [...ends[child]!, ...ends[suffix]!]
      queue.push(child)
    }
  }

  const order = [...rows.keys()].toSorted(
    (one, other) => Number(ends[one]!.length > 0) - Number(ends[other]!.length > 0)
  )
  const numberOf = new Uint16Array(rows.length)
  for (const [number, state] of order.entries()) numberOf[state] = number
  const next = new Uint16Array(rows.length << widthBits)
  for (const [number, state] of order.entries()) {
    next.set(
      rows[state]!.map((child) => numberOf[child]!),
      number << widthBits
    )
  }
  const firstEnd = order.findIndex((state) => ends[state]!.length > 0)
  return {
    next,
    firstEnd: firstEnd < 0 ? order.length : firstEnd,
    ends: firstEnd < 0 ? [] : order.slice(firstEnd).map((state) => ends[state]!)
  }
}
