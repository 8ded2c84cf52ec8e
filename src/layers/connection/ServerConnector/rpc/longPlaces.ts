/**
 * Places for the long messages of one server. It may answer many calls at once, and each message may be long; over HTTP each has a
 * stream of its own. Without places, all of them would be in memory before the first one is complete. A message has a place while it
 * arrives, and an answer has one until its caller has taken it.
 */

/** The place of one stream. */
export interface LongPlace {
  /** Calls back when the stream has a place, at once if it already has one. Streams get places in the order in which they ask. */
  readonly take: (done: () => void) => void
  /** The message has ended. */
  readonly giveBack: () => void
  /** The stream has ended, or nobody reads it any more. What it has left is short, and needs no place. */
  readonly end: () => void
}

export interface LongPlaces {
  /** For a new stream. */
  readonly ofStream: () => LongPlace
  /** Takes a place for an answer that has arrived, even if there is none left. Call the returned function when it was taken. */
  readonly hold: () => () => void
}

export const makeLongPlaces = (max: number): LongPlaces => {
  const waiting = new Set<() => void>()
  let free = max
  const give = () => {
    free++
    for (const enter of waiting) {
      if (free <= 0) return
      waiting.delete(enter)
      enter()
    }
  }
  return {
    ofStream: () => {
      let [hasPlace, isOver] = [false, false]
      let asked: { readonly enter: () => void; readonly done: () => void } | undefined
      const giveBack = () => {
        if (asked !== undefined) waiting.delete(asked.enter)
        asked = undefined
        if (!hasPlace) return
        hasPlace = false
        give()
      }
      return {
        take: (done) => {
          if (hasPlace || isOver) return done()
          const enter = () => {
            asked = undefined
            hasPlace = true
            free--
            done()
          }
          if (free > 0) return enter()
          asked = { enter, done }
          waiting.add(enter)
        },
        giveBack,
        end: () => {
          isOver = true
          const last = asked?.done
          giveBack()
          last?.()
        }
      }
    },
    hold: () => {
      free--
      return give
    }
  }
}
