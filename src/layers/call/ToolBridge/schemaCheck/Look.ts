/**
 * The state of one check, and the verdict of a keyword. There are three verdicts: a keyword that is not evaluated leaves it
 * open whether a value fits, and so does everything that depends on it. So a mismatch is certain, whatever the open keywords
 * would say.
 */

export const FITS = 0
export const OPEN = 1
export const MISMATCH = 2
export type Verdict = typeof FITS | typeof OPEN | typeof MISMATCH

/** Of verdicts that must all be good, the highest counts. */
export const fits = (is: boolean): Verdict => (is ? FITS : MISMATCH)

export interface Look {
  /** The remaining work; below zero nothing more is evaluated. */
  steps: number
  /** The nesting depth of schemas. */
  depth: number
  gaveUp: boolean
  /** The keyword that does not hold. */
  keyword: string | undefined
  /** Where, from the inside out: names that the schema declares, list indexes, `undefined` for any other name. */
  readonly path: Array<string | number | undefined>
}

/** What one keyword requires. */
export type Rule = (value: unknown, look: Look) => Verdict

/** A schema, or whatever stands in its place. Its rules are made on first use. */
export interface Node {
  readonly schema: unknown
  rules: ReadonlyArray<readonly [keyword: string, rule: Rule]> | undefined
}

/** What a keyword needs to make its rule. For an invalid argument there is no rule: the keyword is left open. */
export interface Making {
  /** The schema that contains the keyword. */
  readonly siblings: Readonly<Record<string, unknown>>
  readonly nodeOf: (schema: unknown) => Node
  readonly resolve: (reference: string) => unknown
  readonly check: (node: Node, value: unknown, look: Look) => Verdict
}

export type Keyword = (argument: unknown, making: Making) => Rule | undefined

/** Used before another alternative is tried: the mismatch of one alternative does not tell where the value is wrong. */
export const forget = (look: Look): void => {
  look.keyword = undefined
  look.path.length = 0
}

export const spend = (look: Look, steps: number): boolean => {
  look.steps -= steps
  if (look.steps < 0) look.gaveUp = true
  return look.steps >= 0
}
