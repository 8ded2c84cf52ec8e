/**
 * Our end of one JSON-RPC conversation, over whatever link carries it: matches answers to requests, keeps deadlines,
 * tells the server about cancelled requests, answers what the server asks. Plain functions and one map: this is the hot
 * path of every call. Ids are compared strictly, an answer settles its request once, and nothing a server sends throws.
 */
import { ERROR_TEXT_MAX_CHARS, MESSAGE_MAX_BYTES } from "../../schemas/Defaults.ts"
import { isObject, withinBounds } from "../../schemas/Json.ts"
import {
  CallCancelled,
  CallTimeout,
  ConnectionLost,
  MessageTooLarge,
  ProtocolError,
  type RequestError,
  type ServerExited
} from "../../schemas/McpError.ts"
import type { RequestOptions } from "../../services/ServerConnector.ts"
import { watch, type Deadline } from "./deadlines.ts"

export interface OutgoingMessage {
  readonly jsonrpc: "2.0"
  readonly id?: number | string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Whom a link tells that a message, or the wait for its answer, came to nothing: at most once. */
export interface Sender {
  failed(error: RequestError): void
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal | undefined
}

/** Carries messages. */
export interface Link {
  readonly send: (message: OutgoingMessage, sender: Sender) => void
  /** Whether each request has a stream of its own, which is closed to cancel it. */
  readonly streamPerRequest: boolean
}

export interface PeerHooks {
  readonly onNotification: (method: string, params: Readonly<Record<string, unknown>>) => void
  /** Something odd that is worth counting: our own words and sizes, no content. */
  readonly onOddity: (what: string) => void
  /** Makes a server's words fit for an error: cleaned, known secrets masked, capped. */
  readonly tidy: (text: string, maxChars: number) => string
}

export type Outcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RequestError }

/** What a request in flight needs of its peer. */
interface Owner {
  readonly expired: (pending: Pending) => void
  readonly finish: (pending: Pending, outcome: Outcome) => void
}

/** A request in flight. One object with methods instead of closures: one is made for every call. */
class Pending implements Deadline, Sender {
  readonly id: number
  readonly method: string
  readonly idleMs: number
  readonly totalMs: number
  readonly totalAt: number
  readonly onProgress: RequestOptions["onProgress"]
  readonly abort: AbortController | undefined
  readonly settle: (outcome: Outcome) => void
  at: number
  readonly #owner: Owner

  constructor(
    owner: Owner,
    id: number,
    method: string,
    { idleMs, onProgress, totalMs }: RequestOptions,
    abort: AbortController | undefined,
    settle: (outcome: Outcome) => void
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
  }

  get signal(): AbortSignal | undefined {
    return this.abort?.signal
  }
  expire(): void {
    this.#owner.expired(this)
  }
  failed(error: RequestError): void {
    this.#owner.finish(this, { ok: false, error })
  }
}

/** Sends without waiting for anything. */
const NOBODY: Sender = { failed: noop, signal: undefined }

/** Ids of our own requests start here; servers that count for themselves start lower. */
const FIRST_ID = 1
const METHOD_NOT_FOUND = -32601
/** UnsupportedProtocolVersion (2026-07-28, Versioning): its data lists the versions. */
export const UNSUPPORTED_VERSION = -32022
const BYTE_ORDER_MARK = 0xfeff
const OPENING_BRACE = 0x7b
/** JSON this short cannot be nested deep enough to hurt. */
const SAFE_LENGTH = 256

export class Peer {
  readonly #server: string
  readonly #link: Link
  readonly #hooks: PeerHooks
  readonly #pending = new Map<number, Pending>()
  readonly #owner: Owner = {
    expired: (pending) => this.#expire(pending),
    finish: (pending, outcome) => this.#finish(pending, outcome)
  }
  #nextId = FIRST_ID
  #lost: ServerExited | ConnectionLost | undefined
  /** Goes into `_meta` of every request of the 2026-07-28 revision. */
  envelope: Readonly<Record<string, unknown>> | undefined

  constructor(server: string, link: Link, hooks: PeerHooks) {
    this.#server = server
    this.#link = link
    this.#hooks = hooks
  }

  /** Why there is no conversation any more. */
  get lost(): ServerExited | ConnectionLost | undefined {
    return this.#lost
  }

  // ---- our requests ------------------------------------------------------------------------------------------------

  /** Sends one request; `settle` is called once, possibly at once. Gives the function that takes the request back. */
  request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: RequestOptions,
    settle: (outcome: Outcome) => void
  ): () => void {
    if (this.#lost !== undefined) {
      settle({ ok: false, error: this.#connectionLost(false) })
      return noop
    }
    const id = this.#nextId++
    const abort = this.#link.streamPerRequest ? new AbortController() : undefined
    const pending = new Pending(this.#owner, id, method, options, abort, settle)
    this.#pending.set(id, pending)
    watch(this.#pending)
    const sent = this.#withMeta(params, options.onProgress === undefined ? undefined : id)
    this.#link.send({ jsonrpc: "2.0", id, method, params: sent }, pending)
    return () => this.#giveUp(pending, new CallCancelled({ server: this.#server }))
  }

  notify(method: string, params: Readonly<Record<string, unknown>> = {}): void {
    const meta = this.envelope === undefined ? params : this.#withMeta(params, undefined)
    this.#link.send({ jsonrpc: "2.0", method, params: meta }, NOBODY)
  }

  #withMeta(params: Readonly<Record<string, unknown>>, progressToken: number | undefined) {
    const own = params["_meta"]
    // The case of nearly every call, without a copy of what is not there.
    if (this.envelope === undefined && own === undefined) {
      return progressToken === undefined ? params : { ...params, _meta: { progressToken } }
    }
    const token = progressToken === undefined ? undefined : { progressToken }
    return { ...params, _meta: { ...this.envelope, ...(isObject(own) ? own : undefined), ...token } }
  }

  /** Takes a request out of those in flight; `false` when it had ended before. */
  #take(pending: Pending): boolean {
    return this.#pending.delete(pending.id)
  }

  #finish(pending: Pending, outcome: Outcome) {
    if (this.#take(pending)) pending.settle(outcome)
  }

  /** Ends a request that the server may still be working on. */
  #giveUp(pending: Pending, error: RequestError) {
    if (!this.#take(pending)) return
    this.#cancel(pending)
    pending.settle({ ok: false, error })
  }

  #expire(pending: Pending) {
    const total = performance.now() >= pending.totalAt
    this.#giveUp(
      pending,
      new CallTimeout({
        server: this.#server,
        method: pending.method,
        timeoutMs: total ? pending.totalMs : pending.idleMs,
        deadline: total ? "total" : "idle"
      })
    )
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
      this.#parse(line)
    } catch {
      this.#hooks.onOddity("a message that could not be read")
    }
  }

  #parse(line: string): void {
    const first = line.charCodeAt(0)
    const text = first === BYTE_ORDER_MARK ? line.slice(1) : line
    if (first !== OPENING_BRACE && text.trim() === "") return
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      this.#hooks.onOddity(`a line on stdout that is not JSON: ${text.slice(0, 200)}`)
      return
    }
    this.receive(message, text.length)
  }

  /** One message of a link that parses by itself. */
  receiveParsed(message: unknown): void {
    try {
      this.receive(message, Number.POSITIVE_INFINITY)
    } catch {
      this.#hooks.onOddity("a message that could not be read")
    }
  }

  /** One parsed message, or a batch of them; `length` is that of its text, when known. */
  receive(message: unknown, length: number = SAFE_LENGTH): void {
    if (Array.isArray(message)) {
      for (const entry of message) if (!Array.isArray(entry)) this.receive(entry, length)
      return
    }
    if (!isObject(message)) return this.#hooks.onOddity("a message that is not an object")
    const safe = length < SAFE_LENGTH || withinBounds(message)
    const { id, method } = message
    if (typeof method !== "string") return this.#receiveAnswer(id, message, safe)
    if (!safe) return this.#hooks.onOddity("a message that is nested too deep")
    const params = isObject(message["params"]) ? message["params"] : {}
    if (typeof id === "number" || typeof id === "string") this.#answer(id, method)
    else if (method === "notifications/progress") this.#receiveProgress(params)
    else this.#hooks.onNotification(method, params)
  }

  #receiveAnswer(id: unknown, message: Record<string, unknown>, safe: boolean) {
    const pending = typeof id === "number" ? this.#pending.get(id) : undefined
    if (pending === undefined) return this.#hooks.onOddity("an answer to no request of ours")
    this.#finish(pending, safe ? this.#read(message) : this.#malformed("it is nested too deep"))
  }

  #read(message: Record<string, unknown>): Outcome {
    const error = message["error"]
    if (isObject(error)) {
      // Of any type: conversions of what a server made up may throw.
      const given = error["code"]
      const code = typeof given === "number" || typeof given === "string" ? Number(given) : Number.NaN
      const said = typeof error["message"] === "string" ? error["message"] : "an error without a message"
      const detail = this.#hooks.tidy(said, ERROR_TEXT_MAX_CHARS)
      return {
        ok: false,
        error: new ProtocolError({
          server: this.#server,
          code: Number.isFinite(code) ? code : null,
          detail,
          // Kept only where it has a meaning for us: it is raw.
          ...(code === UNSUPPORTED_VERSION ? { data: error["data"] } : undefined)
        })
      }
    }
    const result = message["result"]
    if (!isObject(result)) return this.#malformed("it has neither a result nor an error")
    const type = result["resultType"]
    if (this.envelope !== undefined && type !== undefined && type !== "complete") {
      return this.#malformed(
        type === "input_required" ? "it asks for input, which this host does not offer" : "its resultType is unknown"
      )
    }
    return { ok: true, result }
  }

  #malformed(why: string): Outcome {
    const detail = `the answer cannot be used: ${why}`
    return { ok: false, error: new ProtocolError({ server: this.#server, code: null, detail }) }
  }

  #receiveProgress(params: Readonly<Record<string, unknown>>) {
    const token = params["progressToken"]
    const pending = typeof token === "number" ? this.#pending.get(token) : undefined
    if (pending === undefined || pending.onProgress === undefined) return
    pending.at = Math.min(performance.now() + pending.idleMs, pending.totalAt)
    try {
      pending.onProgress(params)
    } catch {
      this.#hooks.onOddity("a progress report that its listener failed on")
    }
  }

  /** A line that was over the limit: the request it answers fails, or all of them when it cannot be told which. */
  receiveOversize(id: number | undefined): void {
    const one = id === undefined ? undefined : this.#pending.get(id)
    for (const pending of one === undefined ? this.#pending.values() : [one]) {
      const error = new MessageTooLarge({ server: this.#server, limitBytes: MESSAGE_MAX_BYTES })
      this.#finish(pending, { ok: false, error })
    }
    this.#hooks.onOddity("a message over the size limit")
  }

  // ---- what the server asks ----------------------------------------------------------------------------------------

  /** This host offers nothing to servers but an answer: silence would leave them waiting. */
  #answer(id: number | string, method: string) {
    // The revision of 2026-07-28 has no such requests, and forbids to answer one.
    if (this.envelope !== undefined) return this.#hooks.onOddity("a request from a server that may not send one")
    const answer: OutgoingMessage =
      method === "ping"
        ? { jsonrpc: "2.0", id, result: {} }
        : { jsonrpc: "2.0", id, error: { code: METHOD_NOT_FOUND, message: `${method} is not offered by this client` } }
    this.#link.send(answer, NOBODY)
  }

  // ---- the end -----------------------------------------------------------------------------------------------------

  /** The link is gone: every request in flight fails, and every later one. The first reason stays. */
  close(reason: ServerExited | ConnectionLost): void {
    if (this.#lost !== undefined) return
    this.#lost = reason
    for (const pending of this.#pending.values()) {
      this.#finish(pending, { ok: false, error: this.#connectionLost(true) })
    }
  }

  #connectionLost(maybeExecuted: boolean): ConnectionLost {
    const reason = this.#lost
    const detail =
      reason === undefined
        ? "closed"
        : reason._tag === "ConnectionLost"
          ? reason.detail
          : reason.signal === null
            ? `the server exited with code ${reason.code}`
            : `the server was ended by ${reason.signal}`
    return new ConnectionLost({ server: this.#server, detail, maybeExecuted })
  }
}

function noop() {}
