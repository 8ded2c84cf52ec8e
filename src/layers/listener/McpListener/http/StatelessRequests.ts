/**
 * Requests without sessions, as the SDK's transport: each has an exchange of its own and is answered there, in one piece or, if anything
 * is said before its answer, on a stream. One server of the SDK answers them all, so each gets a number of ours.
 */
import type { Era } from "../requests/capabilities.ts"
import { MODERN, type JSONRPCMessage, type JSONRPCRequest, type RequestId, type Transport } from "../requests/sdk.ts"
import { METHOD_NOT_FOUND } from "../requests/refusals.ts"
import type { Exchange } from "./Exchange.ts"
import { jsonAnswer } from "./httpMessages.ts"
import { say, untilRead, type EventStream, type EventStreams } from "./responses.ts"

interface Asked {
  readonly exchange: Exchange
  readonly request: JSONRPCRequest
  /** Once something was said before the answer. */
  stream: EventStream | undefined
}

/** Statuses of refusals before a handler has been asked. */
const STATUSES: Readonly<Record<number, number>> = {
  [-32_700]: 400,
  [-32_600]: 400,
  [METHOD_NOT_FOUND]: 404,
  [-32_022]: 400,
  [-32_020]: 400
}

const MISSING_CAPABILITY = -32_021
const NOT_FOUND = 404

const CLASSIFIED = { modern: { era: "modern", revision: MODERN }, legacy: { era: "legacy" } } as const

export class StatelessRequests implements Transport {
  onmessage?: Transport["onmessage"]
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #era: Era
  readonly #open: EventStreams
  readonly #isAnswered: (method: string) => boolean
  readonly #asked = new Map<RequestId, Asked>()
  #count = 0
  #isHandingOn = false

  /** `isAnswered` says which methods there is an answer to. */
  constructor(era: Era, open: EventStreams, isAnswered: (method: string) => boolean) {
    this.#era = era
    this.#open = open
    this.#isAnswered = isAnswered
  }

  /** Hands on a request; it is answered at its exchange. */
  ask(exchange: Exchange, message: JSONRPCRequest): void {
    const id = ++this.#count
    const asked: Asked = { exchange, request: message, stream: undefined }
    this.#asked.set(id, asked)
    exchange.whenClosed(() => this.#asked.delete(id))
    exchange.asked = message.id
    exchange.read = () => untilRead(asked.stream?.response)
    // The SDK passes it on to the handlers as it is.
    const extra = { request: exchange as unknown as Request, classification: CLASSIFIED[this.#era] }
    this.#isHandingOn = true
    this.onmessage?.({ ...message, id }, extra)
    this.#isHandingOn = false
  }

  /** Cancels the request with this id; none if there are several, since clients without sessions may use the same ids. */
  cancel(id: RequestId): void {
    const meant = [...this.#asked.values()].filter(({ request }) => request.id === id)
    if (meant.length === 1) meant[0]!.exchange.end()
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage, options?: { readonly relatedRequestId?: RequestId }): Promise<void> {
    // Nothing tells where its answer would belong.
    if ("method" in message && "id" in message) throw new Error("a client without a session cannot be asked")
    const id = "method" in message ? options?.relatedRequestId : message.id
    const asked = id === undefined ? undefined : this.#asked.get(id)
    // Its client has left.
    if (id === undefined || asked === undefined) return
    if ("method" in message) {
      asked.stream ??= this.#open.open(asked.exchange, "answer")
      return asked.stream.message(message)
    }
    this.#asked.delete(id)
    const answer = { ...message, id: asked.request.id }
    if (asked.stream === undefined) say(asked.exchange, jsonAnswer(this.#statusOf(asked, message), answer))
    else asked.stream.last(answer)
  }

  async close(): Promise<void> {
    for (const { exchange, stream } of this.#asked.values()) {
      stream?.end()
      if (stream === undefined) exchange.response.destroy()
    }
    this.#asked.clear()
    this.onclose?.()
  }

  #statusOf({ request: { method } }: Asked, message: JSONRPCMessage): number {
    const code = "error" in message ? message.error.code : undefined
    if (code === undefined || this.#era === "legacy") return 200
    if (code === MISSING_CAPABILITY) return 400
    // A request that nobody answers: the status says so, too.
    if (!this.#isAnswered(method)) return NOT_FOUND
    return (this.#isHandingOn ? STATUSES[code] : undefined) ?? 200
  }
}
