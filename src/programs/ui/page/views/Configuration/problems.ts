/** The problems of a configuration at the lines of its text. */

export interface Problem {
  /** 1-based; 0 for the whole text. */
  readonly line: number
  readonly path: string
  readonly message: string
}

export const wordsOf = ({ message, path }: Problem): string => (path === "" ? message : `${path}: ${message}`)

/** In the order of the lines; those of the whole text are first. A line behind the end of the text is its last one. */
export const byLine = (
  problems: ReadonlyArray<Problem>,
  lines: number
): ReadonlyMap<number, ReadonlyArray<Problem>> => {
  const found = new Map<number, Array<Problem>>()
  for (const problem of problems.toSorted((one, other) => one.line - other.line)) {
    const line = Math.max(0, Math.min(problem.line, lines))
    const there = found.get(line)
    if (there === undefined) found.set(line, [problem])
    else there.push(problem)
  }
  return found
}

/** The next line with a problem, around the end. `undefined` without one. */
export const nextLine = (lines: Iterable<number>, from: number): number | undefined => {
  const all = [...lines].filter((line) => line > 0).toSorted((one, other) => one - other)
  return all.find((line) => line > from) ?? all[0]
}
