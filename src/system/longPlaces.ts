/**
 * Places for the long messages of all servers of a process. A server may answer many calls at once, and each message may be long; over
 * HTTP each has a stream of its own. Without places, all of them would be in memory before the first one is complete. A message has a
 * place while it arrives, and an answer has one until its caller has taken it.
 *
 * Servers share the places. Besides them, each server has one of its own for a message of a guaranteed size, so that servers which never
 * finish their messages do not keep those of others waiting. Of the servers that wait for a shared place, the one with the fewest is next.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { LONG_MESSAGES_IN_ALL_MAX, LONG_MESSAGES_MAX, MESSAGE_MAX_BYTES } from "../schemas/defaults/Wire.ts"

/** The place of one stream. */
export interface LongPlace {
  /**
   * Calls back when the stream has a place for a message that has so many bytes by now, at once if it already has one. Streams of a
   * server get places in the order in which they ask.
   */
  readonly take: (bytes: number, done: () => void) => void
  /** The message has ended. */
  readonly giveBack: () => void
  /** The stream has ended, or nobody reads it any more. What it has left is short, and needs no place. */
  readonly end: () => void
}

/** The places of one server. */
export interface LongPlaces {
  /** For a new stream. */
  readonly ofStream: () => LongPlace
  /** Takes a place for an answer that has arrived, even if there is none left. Call the returned function when it was taken. */
  readonly hold: () => () => void
}

interface Holder {
  taken: number
  shared: number
  isOwnTaken: boolean
}

interface Waiting {
  readonly holder: Holder
  readonly mayEnter: () => boolean
  readonly enter: () => void
}

/** Gives a server its places until the Scope closes. `bytesMax` is the longest message, for which every shared place is enough. */
export const makeLongPlaces = ({
  bytesMax = MESSAGE_MAX_BYTES,
  eachMax = LONG_MESSAGES_MAX,
  inAllMax = LONG_MESSAGES_IN_ALL_MAX
} = {}): Effect.Effect<LongPlaces, never, Scope.Scope> => {
  const waiting = new Set<Waiting>()
  let [servers, free] = [0, inAllMax]
  const guaranteed = () => (inAllMax * bytesMax) / servers

  const next = () => {
    let first: Waiting | undefined
    for (const one of waiting) {
      if (one.mayEnter() && (first === undefined || one.holder.shared < first.holder.shared)) first = one
    }
    if (first === undefined) return
    waiting.delete(first)
    first.enter()
    next()
  }

  const share = (holder: Holder, more: 1 | -1) => {
    holder.taken += more
    holder.shared += more
    free -= more
  }
  const own = (holder: Holder, more: 1 | -1) => {
    holder.taken += more
    holder.isOwnTaken = more === 1
  }

  const ofStream = (holder: Holder): LongPlace => {
    let place: typeof own | undefined
    let asked: (Waiting & { readonly done: () => void }) | undefined
    let isOver = false
    const leave = () => {
      place?.(holder, -1)
      place = undefined
    }
    /** The kind of place that it can have. */
    const placeFor = (bytes: number): typeof place => {
      if (place === share || (place === own && bytes <= guaranteed())) return place
      if (place === undefined && holder.taken >= eachMax) return undefined
      if (place === undefined && !holder.isOwnTaken && bytes <= guaranteed()) return own
      return free > 0 ? share : undefined
    }
    const enter = (kind: typeof place) => {
      if (kind === place) return
      leave()
      place = kind
      place?.(holder, 1)
    }
    const giveBack = () => {
      if (asked !== undefined) waiting.delete(asked)
      asked = undefined
      if (place === undefined) return
      leave()
      next()
    }
    return {
      take: (bytes, done) => {
        const kind = isOver ? place : placeFor(bytes)
        if (isOver || kind !== undefined) {
          const isLarger = kind !== place
          enter(kind)
          done()
          // Its former place, which is not shared, may be enough for another message.
          return isLarger ? next() : undefined
        }
        asked = {
          holder,
          done,
          mayEnter: () => placeFor(bytes) !== undefined,
          enter: () => {
            asked = undefined
            enter(placeFor(bytes))
            done()
          }
        }
        waiting.add(asked)
      },
      giveBack,
      end: () => {
        isOver = true
        const last = asked?.done
        giveBack()
        last?.()
      }
    }
  }

  const join = Effect.sync((): LongPlaces => {
    servers++
    const holder = { taken: 0, shared: 0, isOwnTaken: false }
    return {
      ofStream: () => ofStream(holder),
      hold: () => {
        share(holder, 1)
        return () => {
          share(holder, -1)
          next()
        }
      }
    }
  })
  return Effect.acquireRelease(join, () =>
    Effect.sync(() => {
      servers--
      // The guaranteed size is larger now.
      next()
    })
  )
}
