/**
 * Large work of one event loop, in pieces. Each turn of the loop does one piece, for the waiting party that has had the least time. While
 * another party has small requests, all large work rests after each piece for longer than the piece took, and the party that it was for
 * rests the longer, the longer its piece was: pieces that cannot be cut come rarely. Without such requests nothing rests. No work is
 * refused; it waits. The times are those of the real clock (`performance.now`): they measure work, which Effect's `Clock` does not.
 */
import {
  LARGE_BURST_MS,
  LARGE_OTHERS_MS,
  LARGE_PIECE_MS,
  LARGE_REST_MAX_MS,
  LARGE_REST_PER_MS,
  LARGE_SHARE,
  LARGE_WHOLE_MAX_MS
} from "../schemas/defaults/LargeWork.ts"

/** Whether the work was cut into pieces of a few milliseconds, or could not be cut. */
export type Piece = "cut" | "whole"

/** A piece that took longer was interrupted itself, by the system or by a garbage collection. */
const MOST_MS: Readonly<Record<Piece, number>> = { cut: 2 * LARGE_PIECE_MS, whole: LARGE_WHOLE_MAX_MS }

interface Waiting {
  readonly work: () => void
  readonly piece: Piece
}

/** For whom work is done: a client, or nobody in particular. */
export class Party {
  readonly waiting: Array<Waiting> = []
  readonly #share: number
  /** Time spent on large work. A party that comes anew begins with as much as those that are there. */
  spentMs = 0
  /** The time it may take before it is slowed down. */
  #leftMs = LARGE_BURST_MS
  #at = 0
  /** It rests until then, as long as others are there. */
  restsUntil = 0

  /** `share` is its part of the time, once it is slowed down. */
  constructor(share = LARGE_SHARE) {
    this.#share = share
  }

  /** A piece took so long. */
  spend(ms: number, piece: Piece, now: number): void {
    this.spentMs += ms
    const earned = Math.min(LARGE_BURST_MS, this.#leftMs + (now - this.#at) * this.#share)
    const cost = piece === "whole" && ms > LARGE_PIECE_MS ? (ms * ms) / LARGE_PIECE_MS : ms
    this.#leftMs = Math.max(earned - cost, -LARGE_REST_MAX_MS * this.#share)
    this.#at = now
    this.restsUntil = now - Math.min(this.#leftMs, 0) / this.#share
  }
}

interface Seen {
  readonly party: Party | undefined
  readonly at: number
}

const NEVER: Seen = { party: undefined, at: Number.NEGATIVE_INFINITY }

export class LargeWork {
  /** For work without a party. Its share is that of all together. */
  readonly nobody = new Party(1 / (1 + LARGE_REST_PER_MS))
  /** Those that wait. */
  readonly #parties = new Set<Party>()
  /** What the party of the last turn had spent. */
  #leastMs = 0
  #restsUntil = 0
  #timer: NodeJS.Timeout | undefined
  #isComing = false
  /** The parties of the last two small requests. */
  #last = NEVER
  #lastOther = NEVER

  /** Records that this party has small requests. */
  seen(party: Party): void {
    if (this.#last.party !== party) this.#lastOther = this.#last
    this.#last = { party, at: performance.now() }
  }

  /** Does the work when it is the turn of its party; the work of one party is done in order. */
  inOwnTurn(work: () => void, party: Party = this.nobody, piece: Piece = "whole"): void {
    if (party.waiting.length === 0) party.spentMs = Math.max(party.spentMs, this.#leastMs)
    party.waiting.push({ work, piece })
    this.#parties.add(party)
    this.#arm()
  }

  /** Whether another party has had small requests just now. */
  hasOthers(party: Party, now: number): boolean {
    const other = this.#last.party === party ? this.#lastOther : this.#last
    return now - other.at < LARGE_OTHERS_MS
  }

  #startOf(party: Party, now: number): number {
    return this.hasOthers(party, now) ? Math.max(this.#restsUntil, party.restsUntil) : now
  }

  #arm(): void {
    if (this.#isComing || this.#parties.size === 0) return
    clearTimeout(this.#timer)
    const now = performance.now()
    let start = Number.POSITIVE_INFINITY
    for (const party of this.#parties) start = Math.min(start, this.#startOf(party, now))
    if (start - now >= 1) this.#timer = setTimeout(() => this.#come(), start - now)
    else this.#come()
  }

  #come(): void {
    this.#isComing = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    const from = performance.now()
    let party: Party | undefined
    for (const one of this.#parties) {
      const isLess = party === undefined || one.spentMs < party.spentMs
      if (isLess && this.#startOf(one, from) < from + 1) party = one
    }
    const next = party?.waiting.shift()
    if (party === undefined || next === undefined) {
      this.#isComing = false
      return this.#arm()
    }
    if (party.waiting.length === 0) this.#parties.delete(party)
    this.#leastMs = party.spentMs
    // After everything that the work triggers immediately.
    queueMicrotask(() => process.nextTick(() => this.#end(party, next.piece, from)))
    next.work()
  }

  #end(party: Party, piece: Piece, from: number): void {
    const now = performance.now()
    const ms = Math.min(now - from, MOST_MS[piece])
    party.spend(ms, piece, now)
    this.#restsUntil = now + ms * LARGE_REST_PER_MS
    this.#isComing = false
    this.#arm()
  }
}
