/** Counts the findings while one text is cleaned. */
import type { Finding } from "../../../schemas/content/Finding.ts"

export interface Tally {
  readonly add: (kind: Finding["kind"], detail: string, count?: number) => void
  readonly findings: () => ReadonlyArray<Finding>
}

const NONE: ReadonlyArray<Finding> = []

interface Counted {
  readonly kind: Finding["kind"]
  readonly detail: string
  count: number
}

export const make = (): Tally => {
  // Created on the first finding, which nearly no text has.
  let counts: Map<string, Counted> | undefined
  return {
    add: (kind, detail, count = 1) => {
      // A detail belongs to one kind only.
      const known = counts?.get(detail)
      if (known !== undefined) known.count += count
      else (counts ??= new Map()).set(detail, { kind, detail, count })
    },
    findings: () => (counts === undefined ? NONE : [...counts.values()])
  }
}
