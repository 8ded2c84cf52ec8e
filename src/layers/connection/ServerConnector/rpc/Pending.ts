/** A request of ours in flight. It is one object with methods instead of closures, because one is made for every call. */
import { CallTimeout, type RequestError } from "../../../../schemas/connection/RequestError.ts"
import * as Fiber from "effect/Fiber"
import { WorkFor } from "../../../../system/inTurns.ts"
import type { Party } from "../../../../system/largeWork.ts"
import type { RequestOptions } from "../../../../services/connection/ServerConnector.ts"
import { BROKEN_ANSWER_GRACE_MS } from "../../../../schemas/defaults/Wire.ts"
import { notJson, type Outcome } from "./answer.ts"
import type { Deadline } from "./deadlines.ts"
import type { Sender } from "./Link.ts"

/** A request of this method stays open, so it has no answer to wait for. */
export const SUBSCRIPTION = "subscriptions/listen"

/** Called once; `id` is that of the request. */
export type Settle = (outcome: Outcome, id: number) => void

export interface PendingOptions extends RequestOptions {
  /**
   * A request with this is not cancelled when its time is over: `onResult` gets a result that comes within another `lateMs`.
   */
  readonly late?: { readonly lateMs: number; readonly onResult: (result: unknown) => void }
}

/** What a request needs from its owner. */
export interface Owner {
  readonly expired: (pending: Pending) => void
  readonly finish: (pending: Pending, outcome: Outcome) => void
  /** Milliseconds of the clock of all deadlines. */
  readonly now: () => number
}

export class Pending implements Deadline, Sender {
  readonly id: number
  readonly method: string
  idleMs: number
  totalMs: number
  totalAt: number
  readonly onProgress: RequestOptions["onProgress"]
  /** Closes the stream of the request, if it has one of its own. */
  stop: (() => void) | undefined
  /** The fiber that waits for it. */
  readonly #waiter = Fiber.getCurrent()
  settle: Settle
  late: PendingOptions["late"]
  at: number
  /** A text that looks like its answer came and could not be read. */
  spoiled = false
  /** The server has written something that is no message since. */
  rubbish = false
  readonly #owner: Owner

  constructor(
    owner: Owner,
    id: number,
    method: string,
    { idleMs, late, onProgress, totalMs }: PendingOptions,
    settle: Settle
  ) {
    const now = owner.now()
    this.#owner = owner
    this.id = id
    this.method = method
    this.idleMs = idleMs
    this.totalMs = totalMs
    this.totalAt = now + totalMs
    this.at = now + Math.min(idleMs, totalMs)
    this.onProgress = onProgress
    this.settle = settle
    this.late = late
  }

  /** The party that gets the answer. */
  get workFor(): Party | undefined {
    return this.#waiter?.getRef(WorkFor)
  }
  expire(): void {
    this.#owner.expired(this)
  }
  /** Which of its deadlines has passed. */
  timeout(server: string): RequestError {
    if (this.spoiled) return notJson(server)
    const total = this.#owner.now() >= this.totalAt
    const timeoutMs = total ? this.totalMs : this.idleMs
    const rubbish = this.rubbish ? { rubbish: true } : undefined
    return new CallTimeout({ server, method: this.method, timeoutMs, deadline: total ? "total" : "idle", ...rubbish })
  }
  failed(error: RequestError): void {
    const isLost = this.spoiled && error._tag === "ConnectionLost"
    this.#owner.finish(this, { ok: false, error: isLost ? notJson(error.server) : error })
  }
  /** Its answer seems to be broken. In case that text was something else, the real one has a moment to come. */
  spoil(now: number): void {
    if (this.spoiled) return
    this.spoiled = true
    this.at = Math.min(this.at, now + BROKEN_ANSWER_GRACE_MS)
  }
  /** Starts a new deadline, for a late result alone. */
  becomeLate({ lateMs, onResult }: NonNullable<PendingOptions["late"]>): void {
    this.late = undefined
    this.idleMs = lateMs
    this.totalMs = lateMs
    this.totalAt = this.#owner.now() + lateMs
    this.at = this.totalAt
    this.settle = (outcome) => {
      if (outcome.ok) onResult(outcome.result)
    }
  }
  /** The server is alive, or (`mayBeSilent`) waits for the host and need not show it. */
  heard(now: number, mayBeSilent: boolean): void {
    this.spoiled = false
    this.at = mayBeSilent ? this.totalAt : Math.min(now + this.idleMs, this.totalAt)
  }
}
