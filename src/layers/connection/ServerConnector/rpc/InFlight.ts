/**
 * Our requests that wait for an answer, with their ids, deadlines and progress. A request ends once: with its answer, with an error, or
 * when it is cancelled. While the host answers something, the silence of the server counts against no request, because the server may
 * wait for that answer.
 */
import type { RequestError } from "../../../../schemas/connection/RequestError.ts"
import type { RequestOptions } from "../../../../services/connection/ServerConnector.ts"
import type { Outcome } from "./answer.ts"
import type { Deadlines } from "./deadlines.ts"
import { Pending, type Owner, type PendingOptions, type Settle } from "./Pending.ts"
import { spoilAnswer } from "./rubbish.ts"

type OnProgress = NonNullable<RequestOptions["onProgress"]>

/** Ids of our requests start here; servers that count their own requests start lower. */
const FIRST_ID = 1

export class InFlight implements Owner {
  readonly #server: string
  readonly #deadlines: Deadlines
  readonly #onGivenUp: (pending: Pending) => void
  readonly #onEnded: (pending: Pending) => void
  readonly #waiting = new Map<number, Pending>()
  /** Listeners to the progress of work that continues after its request has ended. */
  readonly #followed = new Map<number, OnProgress>()
  #nextId = FIRST_ID
  #isHeld = false

  /** `onEnded` is called for each request that ends, then `onGivenUp` if the server may still be working on it. */
  constructor(
    server: string,
    deadlines: Deadlines,
    onGivenUp: (pending: Pending) => void,
    onEnded: (pending: Pending) => void
  ) {
    this.#server = server
    this.#deadlines = deadlines
    this.#onGivenUp = onGivenUp
    this.#onEnded = onEnded
  }

  begin(method: string, options: PendingOptions, settle: Settle): Pending {
    const pending = new Pending(this, this.#nextId++, method, options, settle)
    if (this.#isHeld) pending.heard(0, true)
    this.#waiting.set(pending.id, pending)
    this.#deadlines.watch(this.#waiting)
    return pending
  }

  /** The request that waits under this id. */
  get(id: unknown): Pending | undefined {
    return typeof id === "number" ? this.#waiting.get(id) : undefined
  }

  get all(): Iterable<Pending> {
    return this.#waiting.values()
  }

  now(): number {
    return this.#deadlines.now()
  }

  // ---- ends --------------------------------------------------------------------------------------------------------

  /** `false` when it had ended before. */
  take(pending: Pending): boolean {
    const isFirst = this.#waiting.delete(pending.id)
    if (isFirst) this.#onEnded(pending)
    return isFirst
  }

  finish(pending: Pending, outcome: Outcome): void {
    if (this.take(pending)) pending.settle(outcome, pending.id)
  }

  giveUp(pending: Pending, error: RequestError): void {
    if (!this.take(pending)) return
    this.#onGivenUp(pending)
    pending.settle({ ok: false, error }, pending.id)
  }

  expired(pending: Pending): void {
    const error = pending.timeout(this.#server)
    const { late, settle } = pending
    if (late === undefined) return this.giveUp(pending, error)
    pending.becomeLate(late)
    settle({ ok: false, error }, pending.id)
  }

  endAll(error: RequestError): void {
    this.#followed.clear()
    for (const pending of this.#waiting.values()) this.finish(pending, { ok: false, error })
  }

  // ---- signs of life -----------------------------------------------------------------------------------------------

  /** Silence does not count until `resume`. */
  hold(): void {
    this.#isHeld = true
    for (const pending of this.#waiting.values()) pending.heard(0, true)
  }

  resume(): void {
    this.#isHeld = false
    const now = this.now()
    for (const pending of this.#waiting.values()) pending.heard(now, false)
    // Requests without a deadline were not watched.
    if (this.#waiting.size > 0) this.#deadlines.watch(this.#waiting)
  }

  /** A text that is no message, but may be the broken answer to a request. */
  spoil(text: string): void {
    // Requests without a deadline were not watched.
    if (spoilAnswer(text, this.#waiting, this.now())) this.#deadlines.watch(this.#waiting)
  }

  follow(id: number, onProgress: OnProgress): () => void {
    this.#followed.set(id, onProgress)
    return () => void this.#followed.delete(id)
  }

  /** A progress report with the token of a request. Its listener may throw. */
  progress(token: unknown, report: Record<string, unknown>): void {
    if (typeof token !== "number") return
    const pending = this.#waiting.get(token)
    const listener = pending === undefined ? this.#followed.get(token) : pending.onProgress
    if (listener === undefined) return
    pending?.heard(this.now(), this.#isHeld)
    listener(report)
  }
}
