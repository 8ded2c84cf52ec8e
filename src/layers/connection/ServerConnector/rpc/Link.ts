/** What carries the messages of a conversation: pipes to a process, or HTTP. */
import { ProtocolError, type RequestError } from "../../../../schemas/connection/RequestError.ts"

export interface OutgoingMessage {
  readonly jsonrpc: "2.0"
  readonly id?: number | string
  readonly method?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** The text of a message; `undefined` if it is not JSON, because a caller put a BigInt into the arguments, for example. */
export const textOf = (message: OutgoingMessage): string | undefined => {
  try {
    return JSON.stringify(message)
  } catch {
    return undefined
  }
}

export const notSendable = (server: string): ProtocolError =>
  new ProtocolError({ server, code: null, detail: "the request is not JSON", isOurs: true })

/** Learns, at most once, that a message was not sent or will get no answer. */
export interface Sender {
  failed(error: RequestError): void
}

/** Sends messages. Messages that arrive go to the peer as text. */
export interface Link {
  /** If each request has a stream of its own, returns the function that closes it, which cancels the request. */
  readonly send: (message: OutgoingMessage, sender: Sender) => (() => void) | undefined
  /** A request has ended: its stream, which `stop` closes, is of use no more. Most servers close it themselves. */
  readonly ended?: ((stop: () => void) => void) | undefined
}
