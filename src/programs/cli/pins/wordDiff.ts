/** Compares two texts word by word. Linear where they have little in common, with limited work where they have much. */
import { WORD_DIFF_MAX_CELLS } from "../../../schemas/defaults/Pins.ts"

export interface Piece {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** Words, runs of white space, and every other character alone, so that an invisible one stands out. */
const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}\p{M}_]+|[^\S\r\n]+|[\s\S]/gu) ?? []

type Step = readonly [Piece["kind"], string]

/** Uses the longest common subsequence. When that would take too much work, everything counts as replaced. */
const stepsBetween = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<Step> => {
  const [rows, columns] = [before.length, after.length]
  if (rows === 0 || columns === 0 || rows * columns > WORD_DIFF_MAX_CELLS) {
    return [...before.map((word): Step => ["removed", word]), ...after.map((word): Step => ["added", word])]
  }
  const width = columns + 1
  const lengths = new Uint16Array((rows + 1) * width)
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const steps: Array<Step> = []
  let [i, j] = [0, 0]
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] === after[j]) {
      steps.push(["same", before[i++]!])
      j++
    } else if (j === columns || (i < rows && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      steps.push(["removed", before[i++]!])
    } else steps.push(["added", after[j++]!])
  }
  return steps
}

const joined = (steps: ReadonlyArray<Step>): ReadonlyArray<Piece> => {
  const pieces: Array<{ kind: Piece["kind"]; words: Array<string> }> = []
  for (const [kind, word] of steps) {
    const last = pieces.at(-1)
    if (last?.kind === kind) last.words.push(word)
    else pieces.push({ kind, words: [word] })
  }
  return pieces.map(({ kind, words }) => ({ kind, text: words.join("") }))
}

/** Without the added pieces, the joined text is `before`; without the removed ones, `after`. */
export const wordDiff = (before: string, after: string): ReadonlyArray<Piece> => {
  const [a, b] = [wordsOf(before), wordsOf(after)]
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a[head] === b[head]) head++
  let tail = 0
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const same = (words: ReadonlyArray<string>) => words.map((word): Step => ["same", word])
  return joined([
    ...same(a.slice(0, head)),
    ...stepsBetween(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail))
  ])
}
