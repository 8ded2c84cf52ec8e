/**
 * Our end of one JSON-RPC conversation, over whatever link carries it: matches answers to requests, keeps deadlines,
 * tells the server about cancelled requests, has the host answer what the server asks. Plain functions and one map: this is
 * the hot path of every call. Ids are compared strictly, an answer settles its request once, and nothing a server sends
 * throws. While the host answers something, silence of the server counts against nobody: it may wait for that answer.
 */
import { CUT_MARGIN_CHARS } from "../../../../schemas/defaults/Texts.ts"
import { JSON_UNSEEN_MAX, MESSAGE_MAX_BYTES } from "../../../../schemas/defaults/Wire.ts"
import { isObject, withinBounds } from "../../../../schemas/data/Json.ts"
import type { ServerExited } from "../../../../schemas/connection/ConnectError.ts"
import { CallCancelled, MessageTooLarge, type ConnectionLost } from "../../../../schemas/connection/RequestError.ts"
import type { RequestOptions } from "../../../../services/connection/ServerConnector.ts"
import { malformed, readAnswer } from "./answer.ts"
import type { Deadlines } from "./deadlines.ts"
import { toConnectionLost } from "./failures.ts"
import { Inbound, type OnRequest } from "./Inbound.ts"
import type { Link, Sender } from "./Link.ts"
import { isList, madeShallow } from "./lists.ts"
import type { Loop } from "../../../../system/EventLoop.ts"
import type { Tidy } from "./tidy.ts"
import { InFlight } from "./InFlight.ts"
import { SUBSCRIPTION, type Pending, type PendingOptions, type Settle } from "./Pending.ts"
import { readText, type TextTaker } from "./readText.ts"

type Params = Readonly<Record<string, unknown>>

export interface PeerHooks {
  readonly deadlines: Deadlines
  readonly loop: Loop
  readonly onNotification: (method: string, params: Params) => void
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
const NOBODY: Sender = { failed: () => {} }

/** Of a request that was never sent. */
const NO_ID = 0
/** JSON this short cannot be nested deep enough to hurt. */
const SAFE_LENGTH = 256

/** Adds to `_meta` the envelope of the revision of 2026-07-28, and the token of a request for its progress. */
const withMeta = (params: Params, envelope: Params | undefined, progressToken: number | undefined): Params => {
  const own = params["_meta"]
  // The case of nearly every call, without a copy of what is not there.
  if (envelope === undefined && own === undefined) {
    return progressToken === undefined ? params : { ...params, _meta: { progressToken } }
  }
  const token = progressToken === undefined ? undefined : { progressToken }
  return { ...params, _meta: { ...envelope, ...(isObject(own) ? own : undefined), ...token } }
}

export class Peer {
  readonly #server: string
  readonly #link: Link
  readonly #hooks: PeerHooks
  readonly #inFlight: InFlight
  readonly #taker: TextTaker = {
    awaits: (id) => this.awaits(id),
    lists: (id) => isList(this.#inFlight.get(id)?.method),
    onMessage: (message, length, isBounded) => this.receive(message, length, isBounded),
    onTooDeep: (id) => this.#receiveTooDeep(id),
    onRubbish: (text) => this.#receiveRubbish(text)
  }
  readonly #inbound: Inbound
  #lost: ServerExited | ConnectionLost | undefined
  /** Goes into `_meta` of every request of the 2026-07-28 revision. */
  envelope: Params | undefined

  constructor(server: string, link: Link, hooks: PeerHooks) {
    this.#server = server
    this.#link = link
    this.#hooks = hooks
    this.#inFlight = new InFlight(server, hooks.deadlines, (pending) => this.#cancel(pending))
    this.#inbound = new Inbound({
      send: (message) => link.send(message, NOBODY),
      onRequest: hooks.onRequest,
      onViolation: hooks.onViolation,
      onBusy: () => this.#inFlight.hold(),
      onIdle: () => this.#inFlight.resume()
    })
  }

  /** Why there is no conversation any more. */
  get lost(): ServerExited | ConnectionLost | undefined {
    return this.#lost
  }

  // ---- our requests ------------------------------------------------------------------------------------------------

  /** Sends one request; `settle` is called once, possibly at once. Gives the id to `cancel` it by. */
  request(method: string, params: Params, options: PendingOptions, settle: Settle): number {
    if (this.#lost !== undefined) {
      settle({ ok: false, error: this.#connectionLost(false) }, NO_ID)
      return NO_ID
    }
    const pending = this.#inFlight.begin(method, options, settle)
    const { id } = pending
    const sent = withMeta(params, this.envelope, options.onProgress === undefined ? undefined : id)
    pending.stop = this.#link.send({ jsonrpc: "2.0", id, method, params: sent }, pending)
    return id
  }

  /** Takes a request back; nothing when it has ended. */
  cancel(id: number): void {
    const pending = this.#inFlight.get(id)
    if (pending !== undefined) this.#inFlight.giveUp(pending, new CallCancelled({ server: this.#server }))
  }

  /**
   * Reports of a request go to `onProgress` also when it has ended, until the function given is called: a task keeps the
   * token of the request that made it (2025-11-25, Tasks).
   */
  followProgress(id: number, onProgress: NonNullable<RequestOptions["onProgress"]>): () => void {
    return this.#inFlight.follow(id, onProgress)
  }

  notify(method: string, params: Params = {}): void {
    const meta = this.envelope === undefined ? params : withMeta(params, this.envelope, undefined)
    this.#link.send({ jsonrpc: "2.0", method, params: meta }, NOBODY)
  }

  /** Tells the server, unless it was the handshake: `initialize` must not be cancelled (2025-11-25, Cancellation). */
  #cancel({ id, method, stop }: Pending) {
    const isHandshake = method === "initialize" || method === "server/discover"
    // The revision of 2026-07-28 cancels by closing the request's stream, where it has one.
    if (!isHandshake && (stop === undefined || this.envelope === undefined)) {
      this.notify("notifications/cancelled", { requestId: id, reason: "cancelled by the client" })
    }
    stop?.()
  }

  // ---- what arrives ------------------------------------------------------------------------------------------------

  /**
   * The text of one message, or of a batch. `about` is the request that it is probably for, where the link knows one. Whatever it
   * holds, nothing is thrown: an exception here would end everybody's work.
   */
  receiveText(text: string, about?: number): void {
    try {
      readText(text, this.#taker, about)
    } catch {
      this.#hooks.onViolation("a message that could not be read")
    }
  }

  /** A message that was not worth parsing: the request it answers fails. */
  #receiveTooDeep(id: number | undefined): void {
    const pending = this.#inFlight.get(id)
    if (pending === undefined) return this.#hooks.onViolation("a message that is nested too deep or holds too much")
    this.#inFlight.finish(pending, malformed(this.#server, "it is nested too deep or holds too much"))
  }

  /**
   * A line, or an event, that is no JSON. Servers log to where their messages go, so most of it means nothing. What looks like
   * an answer is taken for a broken one, unless the real one comes soon.
   */
  #receiveRubbish(text: string): void {
    // More than is shown of it: what is cut before it is cleaned is not recognised any more.
    this.#hooks.onViolation(`a line that is not JSON: ${text.slice(0, CUT_MARGIN_CHARS)}`)
    this.#hooks.onRubbish?.(text)
    this.#inFlight.spoil(text)
  }

  /** Whether a request of this id waits for its answer. */
  awaits(id: unknown): boolean {
    return this.#inFlight.get(id) !== undefined
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
    const pending = this.#inFlight.get(id)
    if (pending === undefined) return this.#hooks.onViolation("an answer to no request of ours")
    this.#hooks.onAnswered?.()
    // It has been answered, whatever comes next.
    this.#inFlight.take(pending)
    const outcome =
      safe || (isList(pending.method) && madeShallow(message))
        ? readAnswer(message, this.#server, this.#hooks.tidy, this.envelope === undefined ? undefined : pending.totalAt)
        : malformed(this.#server, "it is nested too deep")
    if (length <= JSON_UNSEEN_MAX) return pending.settle(outcome, pending.id)
    // To parse a long one was work: who makes something of it does so in another turn, and not in one with others of its kind.
    this.#hooks.loop.large.inOwnTurn(() => pending.settle(outcome, pending.id), pending.workFor)
  }

  #receiveProgress(report: Params) {
    try {
      this.#inFlight.progress(report["progressToken"], report)
    } catch {
      this.#hooks.onViolation("a progress report that its listener failed on")
    }
  }

  /** A line that was over the limit: the request that it answers fails, or all of them when it cannot be told which. */
  receiveOversize(id: number | undefined): void {
    const one = this.#inFlight.get(id)
    const error = new MessageTooLarge({ server: this.#server, limitBytes: MESSAGE_MAX_BYTES })
    for (const pending of one === undefined ? this.#inFlight.all : [one]) {
      this.#inFlight.finish(pending, { ok: false, error })
    }
    this.#hooks.onViolation("a message over the size limit")
  }

  // ---- what the server asks ----------------------------------------------------------------------------------------

  #receiveRequest(id: unknown, method: string, params: Params) {
    // The revision of 2026-07-28 has no such requests, and forbids to answer one.
    if (this.envelope !== undefined) return this.#hooks.onViolation("a request from a server that may not send one")
    // What JSON cannot give back (1e999) is no id either.
    if (typeof id !== "string" && !Number.isFinite(id)) return this.#hooks.onViolation("a request without a usable id")
    this.#inbound.receive(id as number | string, method, params)
  }

  /** Up to 2025-11-25 a server takes back its own requests; since 2026-07-28 it ends a subscription of ours like this. */
  #receiveCancelled(params: Params) {
    const id = params["requestId"]
    if (this.envelope === undefined) return this.#inbound.cancel(id)
    const pending = this.#inFlight.get(id)
    if (pending?.method === SUBSCRIPTION) this.#inFlight.finish(pending, { ok: true, result: {} })
  }

  // ---- the end -----------------------------------------------------------------------------------------------------

  /** The link is gone: every request in flight fails, and every later one. The first reason stays. */
  close(reason: ServerExited | ConnectionLost): void {
    if (this.#lost !== undefined) return
    this.#lost = reason
    this.#inbound.close()
    this.#inFlight.endAll(this.#connectionLost(true))
  }

  #connectionLost(maybeExecuted: boolean): ConnectionLost {
    return toConnectionLost(this.#server, this.#lost, maybeExecuted)
  }
}
