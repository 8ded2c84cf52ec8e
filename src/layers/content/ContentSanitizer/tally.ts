/** Counts what was found while one text is cleaned. */
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
  // Made when there is something to count, which in nearly every text there is not.
  let counts: Map<string, Counted> | undefined
  return {
    add: (kind, detail, count = 1) => {
      // No detail stands for two kinds.
      const known = counts?.get(detail)
      if (known !== undefined) known.count += count
      else (counts ??= new Map()).set(detail, { kind, detail, count })
    },
    findings: () => (counts === undefined ? NONE : [...counts.values()])
  }
}
