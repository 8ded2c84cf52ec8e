/**
 * Something suspicious in what a server sent, or that it is not what the server said it would be. Findings are reported;
 * content is never altered for a `pattern` or an `outputMismatch`.
 */

/** What can be found, in the order in which it is documented. */
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
/** What was found, by kind. */
export type FindingKind = (typeof FINDING_KINDS)[number]

/**
 * Something suspicious in what a server sent, or not what the server said it would be. It is reported; the content
 * stays as it is.
 */
export interface Finding {
  readonly kind: FindingKind
  /** Which pattern, what was removed, or which keyword does not hold. Our own words, never the server's. */
  readonly detail: string
  /** How often. */
  readonly count: number
}

/** Of two looks at the same text: of each finding the higher count. */
export const highest = (some: ReadonlyArray<Finding>, others: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  if (some.length === 0) return others
  const isSame = (one: Finding) => (other: Finding) => other.kind === one.kind && other.detail === one.detail
  return [
    ...some.map((one) => ({ ...one, count: Math.max(one.count, others.find(isSame(one))?.count ?? 0) })),
    ...others.filter((other) => !some.some(isSame(other)))
  ]
}

/** These leave a text as it is: what is still there is found again when it is looked at again, and must count once. */
const STAYING: ReadonlySet<FindingKind> = new Set(["pattern", "exfilLink"])

/** Of a text that will be looked at once more: what will not be seen there any more. */
export const removedBefore = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  findings.some(({ kind }) => STAYING.has(kind)) ? findings.filter(({ kind }) => !STAYING.has(kind)) : findings
