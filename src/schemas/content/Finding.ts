/**
 * Something suspicious in what a server sent, or content that does not match its schema. Findings are reported; content is
 * never altered because of a `pattern` or an `outputMismatch`.
 */

/** The kinds of findings, in the order of the documentation. */
export const FINDING_KINDS = [
  "pattern",
  "exfilLink",
  "forgedMarker",
  "specialToken",
  "hiddenUnicode",
  "ansi",
  "control",
  "secretEcho",
  "outputMismatch"
] as const
/** The kind of a finding. */
export type FindingKind = (typeof FINDING_KINDS)[number]

/**
 * Something suspicious in what a server sent, or content that does not match its schema. It is reported; the content stays as
 * it is.
 */
export interface Finding {
  readonly kind: FindingKind
  /** The pattern, what was removed, or the keyword that does not hold. In our own words, never the server's. */
  readonly detail: string
  /** How often it occurred. */
  readonly count: number
}

/** Merges two examinations of the same text: the higher count of each finding. */
export const highest = (some: ReadonlyArray<Finding>, others: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  if (some.length === 0) return others
  const isSame = (one: Finding) => (other: Finding) => other.kind === one.kind && other.detail === one.detail
  return [
    ...some.map((one) => ({ ...one, count: Math.max(one.count, others.find(isSame(one))?.count ?? 0) })),
    ...others.filter((other) => !some.some(isSame(other)))
  ]
}

/** These findings leave the text as it is: they are found again at the next examination and must count once. */
const STAYING: ReadonlySet<FindingKind> = new Set(["pattern", "exfilLink"])

/** For a text that will be examined again: the findings that will not be seen then. */
export const removedBefore = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.some(({ kind }) => STAYING.has(kind)) ? findings.filter(({ kind }) => !STAYING.has(kind)) : findings
