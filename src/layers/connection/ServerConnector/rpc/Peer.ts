/**
 * Our end of one JSON-RPC conversation, over any link. It matches answers to requests, tells the server about cancelled requests, and has
 * the host answer the server's requests. Plain functions and one map, because it is on the hot path of every call. Ids are compared
 * strictly, an answer settles its request once, and nothing that a server sends throws.
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
import type { Remote } from "../../../../schemas/telemetry/Operation.ts"
import type { Operation, Recording } from "../../../../services/telemetry/Telemetry.ts"
import type { Loop } from "../../../../system/EventLoop.ts"
import type { Tidy } from "./tidy.ts"
import { InFlight } from "./InFlight.ts"
import type { LongPlaces } from "../../../../system/longPlaces.ts"
import { isHostMethod } from "./hostAnswers.ts"
import { tellEnd } from "./observed.ts"
import { SUBSCRIPTION, type Pending, type PendingOptions, type Settle } from "./Pending.ts"
import { readText, type TextTaker } from "./readText.ts"
import { withMeta } from "./requestMeta.ts"

type Params = Readonly<Record<string, unknown>>

export interface PeerHooks {
  readonly deadlines: Deadlines
  readonly loop: Loop
  readonly onNotification: (method: string, params: Params) => void
  /** A protocol violation, in our own words and without content. */
  readonly onViolation: (what: string) => void
  /** Prepares a server's words for an error: cleaned, with known secrets masked, and cut. */
  readonly tidy: Tidy
  /** A text that is no message, unchanged. */
  readonly onRubbish?: ((text: string) => void) | undefined
  /** The places for long answers until they are taken. */
  readonly longPlaces?: LongPlaces | undefined
  /** A request of ours was answered. */
  readonly onAnswered?: (() => void) | undefined
  /** Without it, the host answers only pings. */
  readonly onRequest?: OnRequest | undefined
  /** Whoever makes spans of requests, and what there is to say of the server. */
  readonly telemetry?: Recording | undefined
  readonly remote?: Omit<Remote, "protocolVersion"> | undefined
}

/** The sender of messages that get no answer. */
const NOBODY: Sender = { failed: () => {} }

/** The id of a request that was never sent. */
const NO_ID = 0
/** JSON this short cannot be nested too deep. */
const SAFE_LENGTH = 256

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
  /** Metadata of every request of revision 2026-07-28; `undefined` for older ones. */
  envelope: Params | undefined
  /** Both sides have agreed on it. */
  revision: string | undefined

  constructor(server: string, link: Link, hooks: PeerHooks) {
    this.#server = server
    this.#link = link
    this.#hooks = hooks
    this.#inFlight = new InFlight(
      server,
      hooks.deadlines,
      (pending) => this.#cancel(pending),
      ({ stop }) => void (stop && link.ended?.(stop))
    )
    this.#inbound = new Inbound({
      now: () => hooks.deadlines.now(),
      send: (message) => link.send(message, NOBODY),
      onRequest: hooks.onRequest,
      observe: (id, method, params) => (isHostMethod(method) ? this.#observe("server", method, params, id) : undefined),
      onViolation: hooks.onViolation,
      onBusy: () => this.#inFlight.hold(),
      onIdle: () => this.#inFlight.resume()
    })
  }

  /** Why the conversation has ended. */
  get lost(): ServerExited | ConnectionLost | undefined {
    return this.#lost
  }

  // ---- our requests ------------------------------------------------------------------------------------------------

  /** Sends one request and calls `settle` once, possibly at once. Returns the id with which `cancel` finds it. */
  request(method: string, params: Params, options: PendingOptions, settle: Settle): number {
    if (this.#lost !== undefined) {
      settle({ ok: false, error: this.#connectionLost(false) }, NO_ID)
      return NO_ID
    }
    const pending = this.#inFlight.begin(method, options, settle)
    const { id } = pending
    const observed = this.#observe("client", method, params, id)
    if (observed !== undefined) tellEnd(pending, observed)
    const token = options.onProgress === undefined ? undefined : id
    const sent = withMeta(params, this.envelope, token, observed?.carried)
    pending.stop = this.#link.send({ jsonrpc: "2.0", id, method, params: sent }, pending)
    return id
  }

  /** Without anybody who wants to know, this is all that it costs. A subscription stays open, and is no operation with a duration. */
  #observe(side: "client" | "server", method: string, params: Params, id: number | string): Operation | undefined {
    const { remote, telemetry } = this.#hooks
    if (telemetry?.current === undefined || remote === undefined || method === SUBSCRIPTION) return undefined
    return telemetry.current.begin({ side, method, params, id, remote: { ...remote, protocolVersion: this.revision } })
  }

  /** Cancels a request, if it has not ended. */
  cancel(id: number): void {
    const pending = this.#inFlight.get(id)
    if (pending !== undefined) this.#inFlight.giveUp(pending, new CallCancelled({ server: this.#server }))
  }

  /**
   * Sends progress reports of a request to `onProgress` after it has ended, too, until you call the returned function: a task keeps
   * the token of the request that created it (2025-11-25, Tasks).
   */
  followProgress(id: number, onProgress: NonNullable<RequestOptions["onProgress"]>): () => void {
    return this.#inFlight.follow(id, onProgress)
  }

  notify(method: string, params: Params = {}): void {
    const meta = this.envelope === undefined ? params : withMeta(params, this.envelope, undefined)
    this.#link.send({ jsonrpc: "2.0", method, params: meta }, NOBODY)
  }

  /** Tells the server, except for the handshake: `initialize` must not be cancelled (2025-11-25, Cancellation). */
  #cancel({ id, method, stop }: Pending) {
    const isHandshake = method === "initialize" || method === "server/discover"
    // In revision 2026-07-28 a request is cancelled by closing its stream, if it has one.
    if (!isHandshake && (stop === undefined || this.envelope === undefined)) {
      this.notify("notifications/cancelled", { requestId: id, reason: "cancelled by the client" })
    }
    stop?.()
  }

  // ---- what arrives ------------------------------------------------------------------------------------------------

  /**
   * The text of one message, or of a batch. `about` is the request that it probably answers, if the link knows that. It never throws:
   * an exception here would affect all servers.
   */
  receiveText(text: string, about?: number): void {
    try {
      readText(text, this.#taker, about)
    } catch {
      this.#hooks.onViolation("a message that could not be read")
    }
  }

  /** A message that is not parsed, because it breaks the bounds: the request that it answers fails. */
  #receiveTooDeep(id: number | undefined): void {
    const pending = this.#inFlight.get(id)
    if (pending === undefined) return this.#hooks.onViolation("a message that is nested too deep or holds too much")
    this.#inFlight.finish(pending, malformed(this.#server, "it is nested too deep or holds too much"))
  }

  /**
   * A text that is not JSON. Some servers write logs between their messages, so most of it has no meaning. A text that looks like an
   * answer counts as a broken one, unless the real one comes soon.
   */
  #receiveRubbish(text: string): void {
    // Whoever shows it cuts it after it is cleaned: half a secret is not recognized.
    this.#hooks.onViolation(`a line that is not JSON: ${text.slice(0, 2 * CUT_MARGIN_CHARS)}`)
    this.#hooks.onRubbish?.(text)
    this.#inFlight.spoil(text)
  }

  /** Whether a request of this id waits for its answer. */
  awaits(id: unknown): boolean {
    return this.#inFlight.get(id) !== undefined
  }

  /**
   * One parsed message, or a batch. `length` is the length of its text. `isBounded` says that the text was already checked: to check a
   * large message again takes as long as to parse it.
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
    // From now on it counts as answered.
    this.#inFlight.take(pending)
    const outcome =
      safe || (isList(pending.method) && madeShallow(message))
        ? readAnswer(message, this.#server, this.#hooks.tidy, this.envelope === undefined ? undefined : pending.totalAt)
        : malformed(this.#server, "it is nested too deep")
    if (length <= JSON_UNSEEN_MAX) return pending.settle(outcome, pending.id)
    const taken = this.#hooks.longPlaces?.hold()
    const settle = () => {
      taken?.()
      pending.settle(outcome, pending.id)
    }
    // Parsing a long answer was work, so it is processed in another turn, which it shares with no other long answer.
    this.#hooks.loop.large.inOwnTurn(settle, pending.workFor)
  }

  #receiveProgress(report: Params) {
    try {
      this.#inFlight.progress(report["progressToken"], report)
    } catch {
      this.#hooks.onViolation("a progress report that its listener failed on")
    }
  }

  /** A line over the size limit: the request that it answers fails, or all requests if it is unknown which one that is. */
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
    // Revision 2026-07-28 has no such requests, and forbids answers to them.
    if (this.envelope !== undefined) return this.#hooks.onViolation("a request from a server that may not send one")
    // A number that JSON cannot represent (1e999) is no id either.
    if (typeof id !== "string" && !Number.isFinite(id)) return this.#hooks.onViolation("a request without a usable id")
    this.#inbound.receive(id as number | string, method, params)
  }

  /** Up to 2025-11-25 a server cancels its own requests with this; since 2026-07-28 it ends a subscription of ours. */
  #receiveCancelled(params: Params) {
    const id = params["requestId"]
    if (this.envelope === undefined) return this.#inbound.cancel(id)
    const pending = this.#inFlight.get(id)
    if (pending?.method === SUBSCRIPTION) this.#inFlight.finish(pending, { ok: true, result: {} })
  }

  // ---- the end -----------------------------------------------------------------------------------------------------

  /** The link is gone: all requests in flight fail, and all later ones. The first reason stays. */
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
