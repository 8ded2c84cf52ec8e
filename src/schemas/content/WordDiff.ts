/** What changed between two texts, word by word: the shortest difference, unless that would take too much work. */
import * as TextDiff from "effect/TextDiff"
import { WORD_DIFF_MAX_EDITS } from "../defaults/Pins.ts"

export interface Piece {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

/** Words, runs of white space, and every other character by itself, so that an invisible one stands alone. */
const wordsOf = (text: string): ReadonlyArray<string> => text.match(/[\p{L}\p{N}\p{M}_]+|[^\S\r\n]+|[\s\S]/gu) ?? []

const KINDS = { Equal: "same", Delete: "removed", Insert: "added" } as const

const difference = TextDiff.diffWith<string>((one, other) => one === other)

/** Of too many changes, everything between the first and the last counts as replaced: single words in between would tell nobody anything. */
const merged = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Piece> => {
  const isChanged = ({ kind }: Piece) => kind !== "same"
  const [first, last] = [pieces.findIndex(isChanged), pieces.findLastIndex(isChanged) + 1]
  const side = (kind: Piece["kind"], other: Piece["kind"]): Piece => ({
    kind,
    text: pieces
      .slice(first, last)
      .flatMap((piece) => (piece.kind === other ? [] : [piece.text]))
      .join("")
  })
  return [...pieces.slice(0, first), side("removed", "added"), side("added", "removed"), ...pieces.slice(last)]
}

/** Without the added pieces, the joined text is `before`; without the removed ones, `after`. */
export const wordDiff = (before: string, after: string): ReadonlyArray<Piece> => {
  const edits = difference(wordsOf(before), wordsOf(after), { maxEdits: WORD_DIFF_MAX_EDITS })
  const changed = edits.reduce((sum, { _tag, items }) => (_tag === "Equal" ? sum : sum + items.length), 0)
  const pieces = edits.map(({ _tag, items }): Piece => ({ kind: KINDS[_tag], text: items.join("") }))
  return changed > WORD_DIFF_MAX_EDITS ? merged(pieces) : pieces
}
