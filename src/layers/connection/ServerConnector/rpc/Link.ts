/** What carries the messages of a conversation: a pipe to a process, or HTTP. */
import { ProtocolError, type RequestError } from "../../../../schemas/connection/RequestError.ts"

export interface OutgoingMessage {
  readonly jsonrpc: "2.0"
  readonly id?: number | string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** The text of a message; `undefined` for what is no JSON: a caller may put a BigInt into its arguments. */
export const textOf = (message: OutgoingMessage): string | undefined => {
  try {
    return JSON.stringify(message)
  } catch {
    return undefined
  }
}

export const notSendable = (server: string): ProtocolError =>
  new ProtocolError({ server, code: null, detail: "the request is no JSON", isOurs: true })

/** Is told, at most once, that a message was not sent or will have no answer. */
export interface Sender {
  failed(error: RequestError): void
}

/** Carries messages. */
export interface Link {
  /** Where each request has a stream of its own, gives the function that closes it: that cancels the request. */
  readonly send: (message: OutgoingMessage, sender: Sender) => (() => void) | undefined
}
