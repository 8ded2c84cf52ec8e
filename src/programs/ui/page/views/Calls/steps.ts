/** The axis of the pictures of calls over time. Pure. */

const MINUTE_MS = 60_000

/** When each minute of a picture begins: as many as were chosen, also when the gateway has run for less. */
export const stepsOf = (known: ReadonlyArray<number>, minutes: number): ReadonlyArray<number> => {
  const missing = Math.max(0, minutes + 1 - known.length)
  const [first = 0] = known
  return [...Array.from({ length: missing }, (_, place) => first - (missing - place) * MINUTE_MS), ...known]
}
