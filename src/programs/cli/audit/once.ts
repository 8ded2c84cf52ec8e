/**
 * Joins the lines of the audit log's files with those that a gateway sends at once: each is shown once. Lines of other processes are in the
 * files only, and lines of a gateway without files arrive only from it. Equal lines are counted, so none is lost.
 */

/** How many lines of one side may be ahead of the other; beyond that, the oldest are forgotten. */
const AHEAD_MAX = 20_000

type Side = "file" | "gateway"

export interface Once {
  /** Whether a line that this side has is new. */
  readonly isNew: (side: Side, line: string) => boolean
}

export const makeOnce = (): Once => {
  /** How often a side has told a line that the other one has not told yet. */
  const ahead: Readonly<Record<Side, Map<string, number>>> = { file: new Map(), gateway: new Map() }

  const add = (lines: Map<string, number>, line: string) => {
    const count = lines.get(line) ?? 0
    lines.delete(line)
    lines.set(line, count + 1)
    if (lines.size > AHEAD_MAX) lines.delete(lines.keys().next().value!)
  }

  const take = (lines: Map<string, number>, line: string): boolean => {
    const count = lines.get(line)
    if (count === undefined) return false
    if (count === 1) lines.delete(line)
    else lines.set(line, count - 1)
    return true
  }

  return {
    isNew: (side, line) => {
      if (take(ahead[side === "file" ? "gateway" : "file"], line)) return false
      add(ahead[side], line)
      return true
    }
  }
}
