/** Lets each of some words through once in a while, so that whoever causes many of the same fills no log. */
export const makeSeldom = (everyMs: number, max: number, now: () => number): ((words: string) => boolean) => {
  const last = new Map<string, number>()
  return (words) => {
    if (now() - (last.get(words) ?? -Infinity) < everyMs) return false
    if (last.size >= max) last.clear()
    last.set(words, now())
    return true
  }
}
