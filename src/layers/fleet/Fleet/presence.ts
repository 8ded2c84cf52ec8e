/**
 * Whether this node may serve what belongs to it. It may for a short time after each confirmation, measured by a clock that goes on while the
 * process is frozen: the first thing that runs afterwards finds that the time is over.
 */
import { NODE_LEASE_MS } from "../../../schemas/defaults/FleetNodes.ts"

export interface Presence {
  readonly isCurrent: () => boolean
  /** It was confirmed by an answer to a question that was asked at `askedAt`. */
  readonly confirm: (askedAt: number) => void
  /** Others have taken its place. Nothing but `begin` ends that. */
  readonly replaced: () => void
  /** A new incarnation, whose row was written at `askedAt`. */
  readonly begin: (askedAt: number) => void
  readonly now: () => number
  /** Calls `tell` with the next confirmation, until the returned function is called. */
  readonly onConfirmed: (tell: () => void) => () => void
}

export const makePresence = (now: () => number = () => performance.now()): Presence => {
  let confirmedAt = Number.NEGATIVE_INFINITY
  let isReplaced = true
  const waiting = new Set<() => void>()
  const isCurrent = () => !isReplaced && now() - confirmedAt < NODE_LEASE_MS
  const tellAll = () => {
    if (!isCurrent()) return
    for (const tell of waiting) tell()
  }
  return {
    isCurrent,
    confirm: (askedAt) => {
      if (isReplaced || askedAt <= confirmedAt) return
      confirmedAt = askedAt
      tellAll()
    },
    replaced: () => void (isReplaced = true),
    begin: (askedAt) => {
      isReplaced = false
      confirmedAt = askedAt
      tellAll()
    },
    now,
    onConfirmed: (tell) => {
      waiting.add(tell)
      return () => void waiting.delete(tell)
    }
  }
}
