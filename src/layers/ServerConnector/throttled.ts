/** Passes on so many lines a second; the first line of a later second says how many were left out. */
export const throttled = (perSecond: number, pass: (line: string) => void): ((line: string) => void) => {
  let second = 0
  let passed = 0
  let dropped = 0
  return (line) => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) {
      if (dropped > 0) pass(`(${dropped} more lines in a short time)`)
      second = now
      passed = 0
      dropped = 0
    }
    if (++passed <= perSecond) pass(line)
    else dropped++
  }
}
