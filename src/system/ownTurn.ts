/** Work that takes long, for whomever it is: one piece of it in each turn of the event loop, in the order in which it came. */

const waiting: Array<() => void> = []

const next = () => {
  const work = waiting.shift()
  if (waiting.length > 0) setImmediate(next)
  work?.()
}

export const inOwnTurn = (work: () => void): void => {
  if (waiting.push(work) === 1) setImmediate(next)
}
