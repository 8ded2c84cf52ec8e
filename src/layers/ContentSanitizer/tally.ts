/** Counts what was found while one text is cleaned. */
import type { Finding } from "../../schemas/Finding.ts"

export interface Tally {
  readonly add: (kind: Finding["kind"], detail: string, count?: number) => void
  readonly findings: () => ReadonlyArray<Finding>
}

const NONE: ReadonlyArray<Finding> = []

export const make = (): Tally => {
  const counts = new Map<string, { readonly kind: Finding["kind"]; readonly detail: string; count: number }>()
  return {
    add: (kind, detail, count = 1) => {
      // No detail stands for two kinds.
      const known = counts.get(detail)
      if (known === undefined) counts.set(detail, { kind, detail, count })
      else known.count += count
    },
    findings: () => (counts.size === 0 ? NONE : [...counts.values()])
  }
}
