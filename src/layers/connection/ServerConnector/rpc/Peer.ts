/**
 * Our end of one JSON-RPC conversation, over whatever link carries it: matches answers to requests, keeps deadlines,
 * tells the server about cancelled requests, has the host answer what the server asks. Plain functions and one map: this is
 * the hot path of every call. Ids are compared strictly, an answer settles its request once, and nothing a server sends
 * throws. While the host answers something, silence of the server counts against nobody: it may wait for that answer.
 */
import { CUT_MARGIN_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { JSON_UNSEEN_MAX, MESSAGE_MAX_BYTES } from "../../../../schemas/defaults/Wire.ts"
import { exceeds, isObject, withinBounds } from "../../../../schemas/data/Json.ts"
import type { ServerExited } from "../../../../schemas/connection/ConnectError.ts"
import {
  CallCancelled,
  MessageTooLarge,
  type ConnectionLost,
  type RequestError
} from "../../../../schemas/connection/RequestError.ts"
import type { RequestOptions } from "../../../../services/connection/ServerConnector.ts"
import { malformed, readAnswer, type Outcome } from "./answer.ts"
import type { Deadlines } from "./deadlines.ts"
import { toConnectionLost } from "./failures.ts"
import { Inbound, type OnRequest } from "./Inbound.ts"
import type { Link, Sender } from "./Link.ts"
import { isList, madeShallow } from "./lists.ts"
import type { Loop } from "../../../../system/EventLoop.ts"
import type { Tidy } from "./tidy.ts"
import { Pending, SUBSCRIPTION, type Owner, type PendingOptions, type Settle } from "./Pending.ts"
import { readLine, type LineTaker } from "../stdio/readLine.ts"
import { spoilAnswer } from "./rubbish.ts"
import { withMeta } from "./withMeta.ts"

export interface PeerHooks {
  readonly deadlines: Deadlines
  readonly loop: Loop
  readonly onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void
  /** Something odd that is worth counting: our own words and sizes, no content. */
  readonly onViolation: (what: string) => void
  /** Makes a server's words fit for an error: cleaned, known secrets masked, capped. */
  readonly tidy: Tidy
  /** What is no message, raw. */
  readonly onRubbish?: ((text: string) => void) | undefined
  /** A request of ours was answered. */
  readonly onAnswered?: (() => void) | undefined
  /** Without it the host answers nothing but pings. */
  readonly onRequest?: OnRequest | undefined
}

/** Sends without waiting for anything. */
const NOBODY: Sender = { failed: noop, signal: undefined }

/** Ids of our own requests start here; servers that count for themselves start lower. */
const FIRST_ID = 1
/** Of a request that was never sent. */
const NO_ID = 0
/** JSON this short cannot be nested deep enough to hurt. */
const SAFE_LENGTH = 256

export class Peer {
  readonly #server: string
  readonly #link: Link
  readonly #hooks: PeerHooks
  readonly #pending = new Map<number, Pending>()
  readonly #owner: Owner = {
    expired: (pending) => this.#expire(pending),
    finish: (pending, outcome) => this.#finish(pending, outcome),
    now: () => this.#hooks.deadlines.now()
  }
  readonly #lines: LineTaker = {
    awaits: (id) => this.awaits(id),
    lists: (id) => isList(this.#pending.get(id)?.method),
    onMessage: (message, length, isBounded) => this.receive(message, length, isBounded),
    onTooDeep: (id) => this.receiveTooDeepTo(id),
    onRubbish: (text) => this.receiveRubbish(text)
  }
  readonly #inbound: Inbound
  /** Listeners to the progress of work that goes on after its request has ended. */
  readonly #followed = new Map<number, NonNullable<RequestOptions["onProgress"]>>()
  #nextId = FIRST_ID
  #lost: ServerExited | ConnectionLost | undefined
  /** Goes into `_meta` of every request of the 2026-07-28 revision. */
  envelope: Readonly<Record<string, unknown>> | undefined

  constructor(server: string, link: Link, hooks: PeerHooks) {
    this.#server = server
    this.#link = link
    this.#hooks = hooks
    this.#inbound = new Inbound({
      send: (message) => link.send(message, NOBODY),
      onRequest: hooks.onRequest,
      onViolation: hooks.onViolation,
      onBusy: () => this.#holdIdle(),
      onIdle: () => this.#resumeIdle()
    })
  }

  /** Why there is no conversation any more. */
  get lost(): ServerExited | ConnectionLost | undefined {
    return this.#lost
  }

  // ---- our requests ------------------------------------------------------------------------------------------------

  /** Sends one request; `settle` is called once, possibly at once. Gives the id to `cancel` it by. */
  request(method: string, params: Readonly<Record<string, unknown>>, options: PendingOptions, settle: Settle): number {
    if (this.#lost !== undefined) {
      settle({ ok: false, error: this.#connectionLost(false) }, NO_ID)
      return NO_ID
    }
    const id = this.#nextId++
    const abort = this.#link.streamPerRequest ? new AbortController() : undefined
    const pending = new Pending(this.#owner, id, method, options, abort, settle)
    if (this.#inbound.busy) pending.heard(0, true)
    this.#pending.set(id, pending)
    this.#hooks.deadlines.watch(this.#pending)
    const sent = withMeta(params, this.envelope, options.onProgress === undefined ? undefined : id)
    this.#link.send({ jsonrpc: "2.0", id, method, params: sent }, pending)
    return id
  }

  /** Takes a request back; nothing when it has ended. */
  cancel(id: number): void {
    const pending = this.#pending.get(id)
    if (pending !== undefined) this.#giveUp(pending, new CallCancelled({ server: this.#server }))
  }

  /**
   * Reports of a request go to `onProgress` also when it has ended, until the function given is called: a task keeps the
   * token of the request that made it (2025-11-25, Tasks).
   */
  followProgress(id: number, onProgress: NonNullable<RequestOptions["onProgress"]>): () => void {
    this.#followed.set(id, onProgress)
    return () => void this.#followed.delete(id)
  }

  notify(method: string, params: Readonly<Record<string, unknown>> = {}): void {
    const meta = this.envelope === undefined ? params : withMeta(params, this.envelope, undefined)
    this.#link.send({ jsonrpc: "2.0", method, params: meta }, NOBODY)
  }

  /** Takes a request out of those in flight; `false` when it had ended before. */
  #take(pending: Pending): boolean {
    return this.#pending.delete(pending.id)
  }

  #finish(pending: Pending, outcome: Outcome) {
    if (this.#take(pending)) pending.settle(outcome, pending.id)
  }

  /** Ends a request that the server may still be working on. */
  #giveUp(pending: Pending, error: RequestError) {
    if (!this.#take(pending)) return
    this.#cancel(pending)
    pending.settle({ ok: false, error }, pending.id)
  }

  #expire(pending: Pending) {
    const error = pending.timeout(this.#server)
    const { late, settle } = pending
    if (late === undefined) return this.#giveUp(pending, error)
    pending.becomeLate(late)
    settle({ ok: false, error }, pending.id)
  }

  /** Tells the server, unless it was the handshake: `initialize` must not be cancelled (2025-11-25, Cancellation). */
  #cancel(pending: Pending) {
    if (pending.method === "initialize" || pending.method === "server/discover") return pending.abort?.abort()
    // The revision of 2026-07-28 cancels by closing the request's stream, where it has one.
    if (!(this.#link.streamPerRequest && this.envelope !== undefined)) {
      this.notify("notifications/cancelled", { requestId: pending.id, reason: "cancelled by the client" })
    }
    pending.abort?.abort()
  }

  // ---- what arrives ------------------------------------------------------------------------------------------------

  /** One line of a newline-delimited link. Whatever it holds, nothing is thrown: an exception here would be everybody's. */
  receiveLine(line: string): void {
    try {
      readLine(line, this.#lines)
    } catch {
      this.#hooks.onViolation("a message that could not be read")
    }
  }

  /** A message that was not worth parsing: the request it answers fails. */
  receiveTooDeepTo(id: number | undefined): void {
    const pending = id === undefined ? undefined : this.#pending.get(id)
    if (pending === undefined) return this.#hooks.onViolation("a message that is nested too deep or holds too much")
    this.#finish(pending, malformed(this.#server, "it is nested too deep or holds too much"))
  }

  /**
   * A line, or an event, that is no JSON. Servers log to where their messages go, so most of it means nothing. What looks like
   * an answer is taken for a broken one, unless the real one comes soon.
   */
  receiveRubbish(text: string): void {
    // More than is shown of it: what is cut before it is cleaned is not recognised any more.
    this.#hooks.onViolation(`a line that is not JSON: ${text.slice(0, CUT_MARGIN_CHARS)}`)
    this.#hooks.onRubbish?.(text)
    // Without a deadline there may have been nothing to watch.
    if (spoilAnswer(text, this.#pending, this.#owner.now())) this.#hooks.deadlines.watch(this.#pending)
  }

  /** Whether a request of this id waits for its answer. */
  awaits(id: unknown): boolean {
    return typeof id === "number" && this.#pending.has(id)
  }

  /** One message of a link that parses by itself. */
  receiveParsed(message: unknown, length = Number.POSITIVE_INFINITY): void {
    try {
      this.receive(message, length)
    } catch {
      this.#hooks.onViolation("a message that could not be read")
    }
  }

  /**
   * One parsed message, or a batch of them; `length` is that of its text, when known. To look through a large one again is as
   * much work as to parse it, so `isBounded` says that it was done.
   */
  receive(message: unknown, length: number = SAFE_LENGTH, isBounded = false): void {
    if (Array.isArray(message)) {
      for (const entry of message) if (!Array.isArray(entry)) this.receive(entry, length, isBounded)
      return
    }
    if (!isObject(message)) return this.#hooks.onViolation("a message that is not an object")
    const safe = isBounded || length < SAFE_LENGTH || withinBounds(message)
    const { id, method } = message
    if (typeof method !== "string") return this.#receiveAnswer(id, message, safe, length)
    if (!safe) return this.#hooks.onViolation("a message that is nested too deep")
    const params = isObject(message["params"]) ? message["params"] : {}
    if (id !== undefined && id !== null) this.#receiveRequest(id, method, params)
    else if (method === "notifications/progress") this.#receiveProgress(params)
    else if (method === "notifications/cancelled") this.#receiveCancelled(params)
    else this.#hooks.onNotification(method, params)
  }

  #receiveAnswer(id: unknown, message: Record<string, unknown>, safe: boolean, length: number) {
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined
    if (pending === undefined) return this.#hooks.onViolation("an answer to no request of ours")
    this.#hooks.onAnswered?.()
    // It has been answered, whatever comes next.
    this.#take(pending)
    const outcome =
      safe || (isList(pending.method) && madeShallow(message))
        ? readAnswer(message, this.#server, this.#hooks.tidy, this.envelope === undefined ? undefined : pending.totalAt)
        : malformed(this.#server, "it is nested too deep")
    // Of what others have parsed the length is not known, but for what it holds.
    const isLong =
      length === Number.POSITIVE_INFINITY ? safe && exceeds(message, JSON_UNSEEN_MAX) : length > JSON_UNSEEN_MAX
    if (!isLong) return pending.settle(outcome, pending.id)
    // To parse a long one was work: who makes something of it does so in another turn, and not in one with others of its kind.
    this.#hooks.loop.large.inOwnTurn(() => pending.settle(outcome, pending.id), pending.workFor)
  }

  #receiveProgress(params: Readonly<Record<string, unknown>>) {
    const token = params["progressToken"]
    if (typeof token !== "number") return
    const pending = this.#pending.get(token)
    const listener = pending === undefined ? this.#followed.get(token) : pending.onProgress
    if (listener === undefined) return
    pending?.heard(this.#owner.now(), this.#inbound.busy)
    try {
      listener(params)
    } catch {
      this.#hooks.onViolation("a progress report that its listener failed on")
    }
  }

  /** A line that was over the limit: the request it answers fails, or all of them when it cannot be told which. */
  receiveOversize(id: number | undefined): void {
    const one = id === undefined ? undefined : this.#pending.get(id)
    for (const pending of one === undefined ? this.#pending.values() : [one]) this.#tooLarge(pending)
    this.#hooks.onViolation("a message over the size limit")
  }

  /** The same of a link that knows which request was answered; nothing when it has ended. */
  receiveOversizeTo(id: number): void {
    const pending = this.#pending.get(id)
    if (pending !== undefined) this.#tooLarge(pending)
    this.#hooks.onViolation("a message over the size limit")
  }

  #tooLarge(pending: Pending) {
    const error = new MessageTooLarge({ server: this.#server, limitBytes: MESSAGE_MAX_BYTES })
    this.#finish(pending, { ok: false, error })
  }

  // ---- what the server asks ----------------------------------------------------------------------------------------

  #receiveRequest(id: unknown, method: string, params: Readonly<Record<string, unknown>>) {
    // The revision of 2026-07-28 has no such requests, and forbids to answer one.
    if (this.envelope !== undefined) return this.#hooks.onViolation("a request from a server that may not send one")
    // What JSON cannot give back (1e999) is no id either.
    if (typeof id !== "string" && !Number.isFinite(id)) return this.#hooks.onViolation("a request without a usable id")
    this.#inbound.receive(id as number | string, method, params)
  }

  /** Up to 2025-11-25 a server takes back its own requests; since 2026-07-28 it ends a subscription of ours like this. */
  #receiveCancelled(params: Readonly<Record<string, unknown>>) {
    const id = params["requestId"]
    if (this.envelope === undefined) return this.#inbound.cancel(id)
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined
    if (pending?.method === SUBSCRIPTION) this.#finish(pending, { ok: true, result: {} })
  }

  #holdIdle() {
    for (const pending of this.#pending.values()) pending.heard(0, true)
  }

  #resumeIdle() {
    if (this.#pending.size === 0) return
    const now = this.#owner.now()
    for (const pending of this.#pending.values()) pending.heard(now, false)
    // Without a total deadline there may have been nothing to watch.
    this.#hooks.deadlines.watch(this.#pending)
  }

  // ---- the end -----------------------------------------------------------------------------------------------------

  /** The link is gone: every request in flight fails, and every later one. The first reason stays. */
  close(reason: ServerExited | ConnectionLost): void {
    if (this.#lost !== undefined) return
    this.#lost = reason
    this.#inbound.close()
    this.#followed.clear()
    for (const pending of this.#pending.values()) {
      this.#finish(pending, { ok: false, error: this.#connectionLost(true) })
    }
  }

  #connectionLost(maybeExecuted: boolean): ConnectionLost {
    return toConnectionLost(this.#server, this.#lost, maybeExecuted)
  }
}

function noop() {}
