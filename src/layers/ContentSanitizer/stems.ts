/**
 * Tells in one pass which groups of word stems occur in a text, however many stems there are: an automaton over their
 * letters, without regard to case. Built once.
 */

/** Set in an answer when the text has characters beyond Latin Extended-A. */
export const OTHER_LETTERS = 1 << 31

/** Per group its stems, in lower case. The answer has one bit per group, so there may be 31 of them. */
export const makeStemFinder = (groups: ReadonlyArray<ReadonlyArray<string>>): ((text: string) => number) => {
  const classes = letterClasses(groups)
  const { found, next } = makeAutomaton(groups, classes)

  return (text) => {
    let row = 0
    let mask = 0
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index)
      if (code >= CODES) {
        row = 0
        mask |= OTHER_LETTERS
        continue
      }
      row = next[row | classes[code]!]!
      mask |= found[row >> WIDTH_BITS]!
    }
    return mask
  }
}

/** Stems are written in Basic Latin, Latin-1 and Latin Extended-A, and in no more than 63 different letters. */
const CODES = 0x180
const WIDTH_BITS = 6
const WIDTH = 1 << WIDTH_BITS

/** Letters by their number; 0 is every character that is in no stem. */
const letterClasses = (groups: ReadonlyArray<ReadonlyArray<string>>): Uint8Array => {
  const classes = new Uint8Array(CODES)
  for (const [index, letter] of [...new Set(groups.flat().join(""))].entries()) {
    classes[letter.charCodeAt(0)] = index + 1
    // Only the capital dotless i is an i in another alphabet; it has no row of its own here.
    const capital = letter.toUpperCase().charCodeAt(0)
    if (classes[capital] === 0) classes[capital] = index + 1
  }
  return classes
}

/** Rows hold the offset of the next row, so that a step is one addition and one look-up. */
const makeAutomaton = (groups: ReadonlyArray<ReadonlyArray<string>>, classes: Uint8Array) => {
  const states = groups.flat().join("").length + 1
  const next = new Uint16Array(states << WIDTH_BITS)
  const found = new Int32Array(states)
  let used = 1

  for (const [group, stems] of groups.entries()) {
    for (const stem of stems) {
      let row = 0
      for (const letter of stem) row = next[row | classes[letter.charCodeAt(0)]!] ||= used++ << WIDTH_BITS
      found[row >> WIDTH_BITS]! |= 1 << group
    }
  }

  // Breadth first: where a state has no way on for a letter, it goes on as its longest proper suffix does.
  const fallback = new Uint16Array(states)
  const queue = [0]
  for (const row of queue) {
    for (let letter = 1; letter < WIDTH; letter++) {
      const suffix = row === 0 ? 0 : next[fallback[row >> WIDTH_BITS]! | letter]!
      const child = next[row | letter]!
      if (child === 0) {
        next[row | letter] = suffix
        continue
      }
      fallback[child >> WIDTH_BITS] = suffix
      found[child >> WIDTH_BITS]! |= found[suffix >> WIDTH_BITS]!
      queue.push(child)
    }
  }
  return { found, next }
}
