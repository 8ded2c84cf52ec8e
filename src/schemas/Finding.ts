/** Something suspicious in what a server sent. Findings are reported; content is never altered for a `pattern`. */

/** What can be found, in the order in which it is documented. */
export const FINDING_KINDS = [
  "pattern",
  "exfilLink",
  "forgedMarker",
  "specialToken",
  "hiddenUnicode",
  "ansi",
  "control",
  "secretEcho"
] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

export interface Finding {
  readonly kind: FindingKind
  /** Which pattern, or what was removed. Our own words, never the server's. */
  readonly detail: string
  /** How often. */
  readonly count: number
}
