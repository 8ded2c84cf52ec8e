/** Passes on a limited number of values per second. The first value of a later second is preceded by a note of how many were left out. */
export const throttled = <A>(
  perSecond: number,
  pass: (value: A) => void,
  leftOut: (count: number) => A
): ((value: A) => void) => {
  let second = 0
  let passed = 0
  let dropped = 0
  return (value) => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) {
      if (dropped > 0) pass(leftOut(dropped))
      second = now
      passed = 0
      dropped = 0
    }
    if (++passed <= perSecond) pass(value)
    else dropped++
  }
}
