/**
 * One look at a value, and what a keyword says of it. There are three answers: a keyword that is not evaluated leaves open
 * whether a value fits, and whatever depends on it stays open too. So a mismatch is one whatever the open ones would say.
 */

export const FITS = 0
export const OPEN = 1
export const MISMATCH = 2
export type Verdict = typeof FITS | typeof OPEN | typeof MISMATCH

/** Of verdicts that must all be good: the higher one is theirs. */
export const fits = (is: boolean): Verdict => (is ? FITS : MISMATCH)

export interface Look {
  /** Work that may still be done; below zero nothing is evaluated any more. */
  steps: number
  /** Schemas that are being evaluated, one within the other. */
  depth: number
  gaveUp: boolean
  /** The keyword that does not hold. */
  keyword: string | undefined
  /** Where, from the inside out: names that the schema declares, places in lists, `undefined` for any other name. */
  readonly path: Array<string | number | undefined>
}

/** What one keyword requires. */
export type Rule = (value: unknown, look: Look) => Verdict

/** A schema, or what stands where one should. Its rules are made when it is first met. */
export interface Node {
  readonly schema: unknown
  rules: ReadonlyArray<readonly [keyword: string, rule: Rule]> | undefined
}

/** What a keyword needs to know to make its rule; of a value that is not for it there is no rule: it is left open. */
export interface Making {
  /** The schema in which the keyword stands. */
  readonly siblings: Readonly<Record<string, unknown>>
  readonly nodeOf: (schema: unknown) => Node
  readonly resolve: (reference: string) => unknown
  readonly check: (node: Node, value: unknown, look: Look) => Verdict
}

export type Keyword = (argument: unknown, making: Making) => Rule | undefined

/** For a schema of which another is tried: that one does not fit says nothing of where the value is wrong. */
export const forget = (look: Look): void => {
  look.keyword = undefined
  look.path.length = 0
}

export const spend = (look: Look, steps: number): boolean => {
  look.steps -= steps
  if (look.steps < 0) look.gaveUp = true
  return look.steps >= 0
}
