/** How sure a share is that was counted in a sample. */

const Z_95 = 1.959964

export interface Interval {
  readonly low: number
  readonly high: number
}

/** The Wilson score interval at 95 % (E. B. Wilson, 1927): right also for shares near 0 and 1, and for small samples. */
export const wilson = (hits: number, total: number): Interval => {
  if (total === 0) return { low: 0, high: 1 }
  const share = hits / total
  const z2 = Z_95 ** 2
  const center = (share + z2 / (2 * total)) / (1 + z2 / total)
  const half = (Z_95 / (1 + z2 / total)) * Math.sqrt((share * (1 - share)) / total + z2 / (4 * total ** 2))
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) }
}
