/** A request of ours in flight. One object with methods instead of closures: one is made for every call. */
import { CallTimeout, type RequestError } from "../../schemas/McpError.ts"
import type { RequestOptions } from "../../services/ServerConnector.ts"
import type { Deadline } from "./deadlines.ts"
import type { InputRequired } from "./InputRequired.ts"
import type { Sender } from "./Link.ts"

export type Outcome =
  | { readonly ok: true; readonly result: unknown }
  /** Whoever can give no input takes a demand for it for the error that it is. */
  | { readonly ok: false; readonly error: RequestError; readonly input?: InputRequired }

/** Called once; `id` is that of the request. */
export type Settle = (outcome: Outcome, id: number) => void

export interface PendingOptions extends RequestOptions {
  /**
   * Whoever has this does not take the request back when its time is over: what the server answers to it within
   * `lateMs` more comes here.
   */
  readonly late?: { readonly lateMs: number; readonly onResult: (result: unknown) => void }
}

/** What a request needs of its peer. */
export interface Owner {
  readonly expired: (pending: Pending) => void
  readonly finish: (pending: Pending, outcome: Outcome) => void
}

export class Pending implements Deadline, Sender {
  readonly id: number
  readonly method: string
  idleMs: number
  totalMs: number
  totalAt: number
  readonly onProgress: RequestOptions["onProgress"]
  readonly abort: AbortController | undefined
  settle: Settle
  late: PendingOptions["late"]
  at: number
  readonly #owner: Owner

  constructor(
    owner: Owner,
    id: number,
    method: string,
    { idleMs, late, onProgress, totalMs }: PendingOptions,
    abort: AbortController | undefined,
    settle: Settle
  ) {
    const now = performance.now()
    this.#owner = owner
    this.id = id
    this.method = method
    this.idleMs = idleMs
    this.totalMs = totalMs
    this.totalAt = now + totalMs
    this.at = now + Math.min(idleMs, totalMs)
    this.onProgress = onProgress
    this.abort = abort
    this.settle = settle
    this.late = late
  }

  get signal(): AbortSignal | undefined {
    return this.abort?.signal
  }
  expire(): void {
    this.#owner.expired(this)
  }
  /** Which of its deadlines has passed. */
  timeout(server: string): CallTimeout {
    const total = performance.now() >= this.totalAt
    const timeoutMs = total ? this.totalMs : this.idleMs
    return new CallTimeout({ server, method: this.method, timeoutMs, deadline: total ? "total" : "idle" })
  }
  failed(error: RequestError): void {
    this.#owner.finish(this, { ok: false, error })
  }
  /** Its time begins anew, for whoever wants to know of a late result and nothing else. */
  becomeLate({ lateMs, onResult }: NonNullable<PendingOptions["late"]>): void {
    this.late = undefined
    this.idleMs = lateMs
    this.totalMs = lateMs
    this.totalAt = performance.now() + lateMs
    this.at = this.totalAt
    this.settle = (outcome) => {
      if (outcome.ok) onResult(outcome.result)
    }
  }
  /** The server is alive, or, while it may wait for somebody else, need not show it. */
  heard(now: number, mayBeSilent: boolean): void {
    this.at = mayBeSilent ? this.totalAt : Math.min(now + this.idleMs, this.totalAt)
  }
}
