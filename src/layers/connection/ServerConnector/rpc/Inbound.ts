/**
 * The requests of one server that its host is answering. Each gets one answer, the host's or a refusal, or none if the server cancels
 * it. Their number and rate are bounded, and ids are compared strictly. `onRequest` finds the answers.
 */
import { HOST_REQUESTS_MAX, HOST_REQUESTS_PER_SECOND } from "../../../../schemas/defaults/HostRequests.ts"
import { METHOD_NOT_FOUND, REFUSED } from "../../../../schemas/content/HostRequest.ts"
import type * as Tracer from "effect/Tracer"
import type { JsonObject } from "../../../../schemas/data/Json.ts"
import { refusedWith } from "../../../../schemas/telemetry/Operation.ts"
import type { Operation } from "../../../../services/telemetry/Telemetry.ts"
import type { OutgoingMessage } from "./Link.ts"

export type RequestId = number | string

export type HostAnswer =
  | { readonly result: JsonObject }
  | { readonly error: { readonly code: number; readonly message: string } }

/**
 * Starts to answer a request and calls `settle` once, possibly at once. Returns the function that stops it, or `undefined` for a
 * method that this host does not know.
 */
export type OnRequest = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  settle: (answer: HostAnswer) => void,
  /** What is done for the request belongs under this. */
  span?: Tracer.AnySpan
) => (() => void) | undefined

export interface InboundHooks {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  readonly send: (message: OutgoingMessage) => void
  readonly onRequest: OnRequest | undefined
  /** For whoever makes spans of requests. */
  readonly observe?:
    | ((id: RequestId, method: string, params: Readonly<Record<string, unknown>>) => Operation | undefined)
    | undefined
  readonly onViolation: (what: string) => void
  /** The host answers something from now on, or nothing any more. */
  readonly onBusy: () => void
  readonly onIdle: () => void
}

/** A request that is being answered. Its identity distinguishes it from a later one with the same id. */
interface Asked {
  stop: () => void
}

const INVALID_REQUEST = -32600
const PONG: HostAnswer = { result: {} }

const refusal = (code: number, message: string): HostAnswer => ({ error: { code, message } })

export class Inbound {
  readonly #hooks: InboundHooks
  readonly #asked = new Map<RequestId, Asked>()
  #second = 0
  #asksInSecond = 0

  constructor(hooks: InboundHooks) {
    this.#hooks = hooks
  }

  /** Whether the host is answering something. */
  get busy(): boolean {
    return this.#asked.size > 0
  }

  receive(id: RequestId, method: string, params: Readonly<Record<string, unknown>>): void {
    if (this.#asksTooOften()) return this.#hooks.onViolation("a request from a server that sends too many of them")
    if (method === "ping") return this.#answerPromptly(id, PONG)
    if (this.#asked.has(id)) {
      return this.#answerPromptly(id, refusal(INVALID_REQUEST, "a request with this id is being answered"))
    }
    if (this.#asked.size >= HOST_REQUESTS_MAX) {
      const message = `${HOST_REQUESTS_MAX} requests of this server are being answered; ask again when one is done`
      return this.#answerPromptly(id, refusal(REFUSED, message))
    }
    this.#begin(id, method, params)
  }

  #begin(id: RequestId, method: string, params: Readonly<Record<string, unknown>>) {
    const asked: Asked = { stop: noop }
    this.#asked.set(id, asked)
    if (this.#asked.size === 1) this.#hooks.onBusy()
    const observed = this.#hooks.observe?.(id, method, params)
    const settle = (answer: HostAnswer) => {
      observed?.end("error" in answer ? refusedWith(answer.error.code) : {})
      if (this.#end(id, asked)) this.#hooks.send({ jsonrpc: "2.0", id, ...answer })
    }
    const stop = this.#hooks.onRequest?.(method, params, settle, observed?.span)
    if (stop !== undefined) asked.stop = stop
    else if (this.#end(id, asked)) {
      this.#answerPromptly(id, refusal(METHOD_NOT_FOUND, "this client does not offer that method"))
    }
  }

  /** The server cancels one of its requests: no answer is sent. An unknown id is ignored. */
  cancel(id: unknown): void {
    const asked = typeof id === "number" || typeof id === "string" ? this.#asked.get(id) : undefined
    if (asked === undefined || !this.#end(id as RequestId, asked)) return
    asked.stop()
  }

  /** Stops all answers. */
  close(): void {
    for (const [id, asked] of this.#asked) if (this.#end(id, asked)) asked.stop()
  }

  /** `false` when it had ended before. */
  #end(id: RequestId, asked: Asked): boolean {
    if (this.#asked.get(id) !== asked) return false
    this.#asked.delete(id)
    if (this.#asked.size === 0) this.#hooks.onIdle()
    return true
  }

  /** Each answer is a message, over HTTP even a request, so their rate is bounded. */
  #asksTooOften(): boolean {
    const second = Math.floor(this.#hooks.now() / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#asksInSecond = 0
    }
    return ++this.#asksInSecond > HOST_REQUESTS_PER_SECOND
  }

  #answerPromptly(id: RequestId, answer: HostAnswer) {
    this.#hooks.send({ jsonrpc: "2.0", id, ...answer })
  }
}

function noop() {}
