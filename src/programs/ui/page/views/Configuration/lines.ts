/** A text as lines of coloured stretches, for what is painted under the editor's letters. */
import { treeOf, type TokenKind } from "./json5Tree.ts"

export interface Stretch {
  readonly kind: TokenKind | "plain"
  readonly text: string
}

/** Colours are a help, and cost time with each letter: a text that is longer has none. */
const COLOURED_MAX_CHARS = 200_000

const stretchesOf = (text: string): ReadonlyArray<Stretch> => {
  if (text.length > COLOURED_MAX_CHARS) return [{ kind: "plain", text }]
  const stretches: Array<Stretch> = []
  let at = 0
  for (const { from, kind, to } of treeOf(text).tokens) {
    if (from > at) stretches.push({ kind: "plain", text: text.slice(at, from) })
    stretches.push({ kind, text: text.slice(from, to) })
    at = to
  }
  if (at < text.length) stretches.push({ kind: "plain", text: text.slice(at) })
  return stretches
}

/** Put together with line breaks, the lines are the text. */
export const linesOf = (text: string): ReadonlyArray<ReadonlyArray<Stretch>> => {
  const lines: Array<Array<Stretch>> = [[]]
  for (const { kind, text: whole } of stretchesOf(text)) {
    for (const [i, part] of whole.split("\n").entries()) {
      if (i > 0) lines.push([])
      if (part !== "") lines.at(-1)!.push({ kind, text: part })
    }
  }
  return lines
}

/** What a new line begins with: the white space of the line before it, and two more behind an opening bracket. */
export const indentAt = (text: string, offset: number): string => {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset)
  const before = /^[ \t]*/.exec(line)![0]
  return /[{[]\s*$/.test(line) ? `${before}${before.includes("\t") ? "\t" : "  "}` : before
}
