/**
 * What is kept for the holder of a token: requests under way and their bodies, answers that are not read, results of tasks, and what
 * it may come back for. All of it is bounded for each holder and for all together, so that a holder that sends much or does not read
 * does not affect others.
 */
import type { ServerResponse } from "node:http"
import {
  LISTENER_EVENTS_IN_ALL_MAX_CHARS,
  LISTENER_EVENTS_MAX_CHARS,
  LISTENER_OTHERS_MAX,
  LISTENER_TASK_RESULTS_IN_ALL_MAX_CHARS,
  LISTENER_TASK_RESULTS_MAX_CHARS
} from "../../../../schemas/defaults/Listener.ts"
import type { Intake } from "../../../../schemas/connection/JsonMessage.ts"
import type { LargeWork } from "../../../../system/largeWork.ts"
import { makePace, type Pace } from "../../../../system/pace.ts"
import { makeSharedRoom, type Share } from "../../../../system/sharedRoom.ts"
import { CALLS } from "./intake.ts"
import { Unread } from "../http/Unread.ts"

/** The shares of one holder. */
export interface Shares {
  /** Bodies, until they are answered. */
  readonly received: Share
  /** Characters of results of tasks. */
  readonly results: Share
  /** Characters of events, for when it comes back. */
  readonly events: Share
  /** One for all holders. */
  readonly unread: Unread
}

/** The room that so many holders share; gives each its shares. */
export const makeShares = (
  holders = 1,
  { receivingInAllMaxBytes, receivingMaxBytes }: Intake = CALLS
): (() => Shares) => {
  const received = makeSharedRoom({ holders, eachMax: receivingMaxBytes, inAllMax: receivingInAllMaxBytes })
  const results = makeSharedRoom({
    holders,
    eachMax: LISTENER_TASK_RESULTS_MAX_CHARS,
    inAllMax: LISTENER_TASK_RESULTS_IN_ALL_MAX_CHARS
  })
  const events = makeSharedRoom({
    holders,
    eachMax: LISTENER_EVENTS_MAX_CHARS,
    inAllMax: LISTENER_EVENTS_IN_ALL_MAX_CHARS
  })
  const unread = new Unread(holders)
  return () => ({ received: received(), results: results(), events: events(), unread })
}

export class ClientQuota {
  readonly shares: Shares
  /** Its turns, for work on everything that it sends, in all of its requests. */
  readonly pace: Pace
  /** Requests under way, in all of its sessions. */
  requests = 0
  /** Requests that go on while their connection is broken. */
  away = 0

  constructor(shares: Shares = makeShares()(), large?: LargeWork) {
    this.shares = shares
    this.pace = makePace(large)
  }

  /** Whether nothing is under way or kept for it. */
  get isIdle(): boolean {
    const { events, received, results } = this.shares
    return this.requests === 0 && this.away === 0 && [events, received, results].every(({ taken }) => taken() === 0)
  }

  /** Whether too much is unread. */
  get isFull(): boolean {
    return this.shares.unread.isOver(this)
  }

  /** Something was written to this response; `isStream` if it may carry more than one answer. If it is too much, the response is cut off. */
  wrote(response: ServerResponse, isStream: boolean): void {
    this.shares.unread.wrote(this, response, isStream)
  }
}

export interface ClientQuotas {
  /** The one of this name, which is made if it is new. */
  readonly of: (name: string) => ClientQuota
  /** The holders for which room is guaranteed. */
  readonly expected: number
}

/** A holder for each of these names; and for others, of whom `more` have a guaranteed part. Those that hold nothing make room. */
export const makeClientQuotas = (
  names: ReadonlyArray<string>,
  intake: Intake,
  large?: LargeWork,
  more = 0
): ClientQuotas => {
  const expected = Math.max(1, names.length + more)
  const shares = makeShares(expected, intake)
  const make = () => new ClientQuota(shares(), large)
  const all = new Map(names.map((name) => [name, make()]))
  const others = new Map<string, ClientQuota>()

  const makeRoom = (): void => {
    for (const [name, quota] of others) {
      if (others.size < LISTENER_OTHERS_MAX) return
      if (quota.isIdle) others.delete(name)
    }
  }

  return {
    expected,
    of: (name) => {
      const known = all.get(name) ?? others.get(name)
      if (known !== undefined) return known
      makeRoom()
      const made = make()
      others.set(name, made)
      return made
    }
  }
}
