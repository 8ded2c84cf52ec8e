/** Medians, because one garbage collection or one busy neighbour must not decide. */

export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * q
  const below = sorted[Math.floor(position)] ?? NaN
  const above = sorted[Math.ceil(position)] ?? NaN
  return below + (above - below) * (position - Math.floor(position))
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** Round by round, so that what slowed a whole round down cancels out. */
export const medianRatio = (values: ReadonlyArray<number>, to: ReadonlyArray<number>): number =>
  median(values.map((value, round) => value / (to[round] ?? NaN)))

/** Median of the differences, round by round. */
export const medianDifference = (values: ReadonlyArray<number>, to: ReadonlyArray<number>): number =>
  median(values.map((value, round) => value - (to[round] ?? NaN)))

/** Three significant digits. */
export const shown = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString()
