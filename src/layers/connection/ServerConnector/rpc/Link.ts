/** What carries the messages of a conversation, and what it is given to carry. */
import type { RequestError } from "../../../../schemas/connection/RequestError.ts"

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
