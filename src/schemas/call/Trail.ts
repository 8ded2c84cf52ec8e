/**
 * When the stages of a call ended, so that a person can see where its time went. Written while the call runs: a number for each stage. A time
 * before that of the stage before it means that the stage was not reached.
 */

export interface Trail {
  /** Milliseconds of a clock that never goes back, with fractions. */
  began: number
  /** Its tool was found. */
  resolved?: number
  /** No rule refused it. */
  authorized?: number
  /** A person agreed, if anybody was asked. */
  approved?: number
  /** The limits let it through. */
  admitted?: number
  /** The server, or a tool of ours, answered. */
  answered?: number
  /** The answer was made safe, and cut to its budget. */
  shaped?: number
  /** It was over. */
  ended?: number
}

export const trailNow = (): number => performance.now()

/** All fields from the beginning, so that writing one does not change the layout of the object: one is made for every call. */
export const newTrail = (): Required<Trail> => ({
  began: trailNow(),
  resolved: 0,
  authorized: 0,
  approved: 0,
  admitted: 0,
  answered: 0,
  shaped: 0,
  ended: 0
})
