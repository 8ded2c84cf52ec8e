/** What changed between two texts, in lines: the words that differ, and only so much around them that one finds the place. Pure. */
import { wordDiff, type Piece } from "../../../../schemas/content/WordDiff.ts"

export type ChangedLine =
  | { readonly kind: "line"; readonly pieces: ReadonlyArray<Piece> }
  /** So many lines without a difference. */
  | { readonly kind: "gap"; readonly lines: number }

const AROUND = 2

const linesOf = (pieces: ReadonlyArray<Piece>): ReadonlyArray<ReadonlyArray<Piece>> => {
  const lines: Array<Array<Piece>> = [[]]
  for (const { kind, text } of pieces) {
    for (const [place, part] of text.split("\n").entries()) {
      if (place > 0) lines.push([])
      // A line break that came or went is shown, or there would be nothing to see.
      const isLast = place === text.split("\n").length - 1
      const shown = kind !== "same" && !isLast ? `${part}⏎` : part
      if (shown !== "") lines.at(-1)!.push({ kind, text: shown })
    }
  }
  return lines
}

/** `isWhole`: with every line, however far from a difference. */
export const changedLines = (before: string, after: string, isWhole = false): ReadonlyArray<ChangedLine> => {
  const lines = linesOf(wordDiff(before, after))
  const isNear = lines.map(
    (_, at) =>
      isWhole ||
      lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line.some(({ kind }) => kind !== "same"))
  )
  const shown: Array<ChangedLine> = []
  for (const [at, pieces] of lines.entries()) {
    const last = shown.at(-1)
    if (isNear[at]) shown.push({ kind: "line", pieces })
    else if (last?.kind === "gap") shown[shown.length - 1] = { kind: "gap", lines: last.lines + 1 }
    else shown.push({ kind: "gap", lines: 1 })
  }
  return shown
}
