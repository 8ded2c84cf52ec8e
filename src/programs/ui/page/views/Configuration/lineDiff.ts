/** Which lines two texts have alone: between the file as it is now and the text that a person has made of an older one. */

export interface DiffLine {
  readonly kind: "same" | "gone" | "new"
  readonly text: string
}

/** The largest table that is computed; beyond it, the parts that differ are shown one after the other. */
const CELLS_MAX = 4_000_000

const commonStart = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): number => {
  let count = 0
  while (count < one.length && count < other.length && one[count] === other[count]) count++
  return count
}

const lines = (kind: DiffLine["kind"], texts: ReadonlyArray<string>): ReadonlyArray<DiffLine> =>
  texts.map((text) => ({ kind, text }))

/** The longest common lines of what differs, by the usual table. */
const middle = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<DiffLine> => {
  const width = after.length + 1
  if ((before.length + 1) * width > CELLS_MAX) return [...lines("gone", before), ...lines("new", after)]
  const lengths = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const found: Array<DiffLine> = []
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      found.push({ kind: "same", text: before[i++]! })
      j++
    } else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) {
      found.push({ kind: "gone", text: before[i++]! })
    } else found.push({ kind: "new", text: after[j++]! })
  }
  return [...found, ...lines("gone", before.slice(i)), ...lines("new", after.slice(j))]
}

export const lineDiff = (before: string, after: string): ReadonlyArray<DiffLine> => {
  const [one, other] = [before.split("\n"), after.split("\n")]
  const start = commonStart(one, other)
  const end = commonStart(one.slice(start).toReversed(), other.slice(start).toReversed())
  return [
    ...lines("same", one.slice(0, start)),
    ...middle(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...lines("same", one.slice(one.length - end))
  ]
}

/** Only what differs, with some lines around it; `undefined` stands for lines that are left out. */
export const shortDiff = (diff: ReadonlyArray<DiffLine>, around = 2): ReadonlyArray<DiffLine | undefined> => {
  const near = diff.map((_, i) =>
    diff.slice(Math.max(0, i - around), i + around + 1).some(({ kind }) => kind !== "same")
  )
  return diff.flatMap((line, i) => (near[i] ? [line] : i > 0 && near[i - 1] ? [undefined] : i === 0 ? [undefined] : []))
}
