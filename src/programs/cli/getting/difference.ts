/** The lines that an edit changes. An edit changes one place, so that the lines before it and after it are the same. Pure. */
import { shown } from "../clients/shown.ts"

const AROUND = 2

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/))

/** How many lines two texts have in common, from one end. */
const common = (
  a: ReadonlyArray<string>,
  b: ReadonlyArray<string>,
  at: (lines: ReadonlyArray<string>, i: number) => string | undefined,
  max: number
): number => {
  let count = 0
  while (count < max && at(a, count) === at(b, count)) count++
  return count
}

/** Removed lines with `-`, added ones with `+`, and a few others around them. */
export const difference = (before: string, after: string): string => {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const most = Math.min(old.length, fresh.length)
  const head = common(old, fresh, (lines, i) => lines[i], most)
  const tail = common(old, fresh, (lines, i) => lines.at(-1 - i), most - head)
  const marked = (mark: string, lines: ReadonlyArray<string>) => lines.map((line) => `${mark} ${shown(line)}`.trimEnd())
  return [
    ...marked(" ", old.slice(Math.max(0, head - AROUND), head)),
    ...marked("-", old.slice(head, old.length - tail)),
    ...marked("+", fresh.slice(head, fresh.length - tail)),
    ...marked(" ", old.slice(old.length - tail, Math.min(old.length, old.length - tail + AROUND)))
  ].join("\n")
}
