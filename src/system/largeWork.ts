/**
 * Large work of this process, for whomever it is: one piece of it in a turn of the event loop, for the one that has had least
 * time of those that wait. While somebody else has small requests, all large work together rests after each piece for some time
 * more than it took, and the one that it was for rests the longer, the longer its piece was: what cannot be cut comes rarely.
 * While nobody else is there, nothing rests. Nobody is refused: who has much to do waits.
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

/** A piece that was cut to a few milliseconds, or all of what cannot be cut. */
export type Piece = "cut" | "whole"

/** What took longer was interrupted: by the system, or by a garbage collection. */
const MOST_MS: Readonly<Record<Piece, number>> = { cut: 2 * LARGE_PIECE_MS, whole: LARGE_WHOLE_MAX_MS }

interface Waiting {
  readonly work: () => void
  readonly piece: Piece
}

/** One for whom work is done: a client, or all that is done for nobody in particular. */
export class Party {
  readonly waiting: Array<Waiting> = []
  readonly #share: number
  /** Of large work; who comes anew begins with as much as those who are there. */
  spentMs = 0
  /** What it may do before it is slowed down, at a time by `performance.now()`. */
  #leftMs = LARGE_BURST_MS
  #at = 0
  /** As long as others are there. */
  restsUntil = 0

  /** Its share of the time, once it has had much. */
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
  /** What is done for no one in particular: as much as there is for all, since each who waits for it has had a share of it already. */
  readonly nobody = new Party(1 / (1 + LARGE_REST_PER_MS))
  /** Those that wait. */
  readonly #parties = new Set<Party>()
  /** What the one had spent that had the last turn. */
  #leastMs = 0
  #restsUntil = 0
  #timer: NodeJS.Timeout | undefined
  #isComing = false
  /** Who had a small request last, and who did before that. */
  #last = NEVER
  #lastOther = NEVER

  /** This one has small requests. */
  seen(party: Party): void {
    if (this.#last.party !== party) this.#lastOther = this.#last
    this.#last = { party, at: performance.now() }
  }

  /** Does this when it is its turn, in the order in which it was asked for by the same one. */
  inOwnTurn(work: () => void, party: Party = this.nobody, piece: Piece = "whole"): void {
    if (party.waiting.length === 0) party.spentMs = Math.max(party.spentMs, this.#leastMs)
    party.waiting.push({ work, piece })
    this.#parties.add(party)
    this.#arm()
  }

  #startOf(party: Party, now: number): number {
    const other = this.#last.party === party ? this.#lastOther : this.#last
    return now - other.at < LARGE_OTHERS_MS ? Math.max(this.#restsUntil, party.restsUntil) : now
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
    // After all that follows from it at once.
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

/** A process has one event loop, whoever uses it, so all of its large work is in one order: this one. */
export const largeWork = new LargeWork()
