/**
 * The contract for reading one JSON-RPC message of a client as its bytes arrive, and its limits. A message that breaks a limit is refused at
 * that byte, before it is parsed.
 */
import type { BoundName, TextBounds } from "./JsonBounds.ts"

/** The limits of one message. */
export interface MessageBounds extends TextBounds {
  readonly bytes: number
}

/** Why a message is refused. */
export interface Broken {
  /** `size`: too many bytes. `shape`: their content. */
  readonly is: "size" | "shape"
  /** The limit with its number, for the sender. */
  readonly message: string
}

/** Reads one message. Do not use it again after it has refused one. */
export interface MessageReader {
  /** Takes the next bytes and returns the limit that they break, if any. The bytes may be overwritten afterwards. */
  readonly push: (bytes: Uint8Array) => Broken | undefined
  /** Roughly the memory that the message takes now, and will take when it is parsed. */
  readonly weight: () => number
  /** The message, after its last byte; `undefined` if it is not JSON. Called once. */
  readonly read: () => { readonly value: unknown } | undefined
}

/** What the clients of one kind of endpoint may send. */
export interface Intake {
  /** The size of one message. If its length is announced, it is refused before a byte is read. */
  readonly messageMaxBytes: number
  /** The memory of messages without an answer yet: of one client, and of all clients together. */
  readonly receivingMaxBytes: number
  readonly receivingInAllMaxBytes: number
  /** Over HTTP: the time for one message to arrive, and how long nothing of it may arrive. */
  readonly receiveMs: number
  readonly silentMs: number
  /** Makes a reader for each message. */
  readonly makeReader: () => MessageReader
}

const SHAPES: Readonly<Record<BoundName, (bound: number) => string>> = {
  depth: (bound) => `A message may be nested ${bound} levels deep, and this one is deeper`,
  nodes: (bound) => `A message may have ${bound} values, and this one has more`,
  parts: (bound) => `A message may have ${bound} strings, names, lists and objects, and this one has more`
}

export const tooManyBytes = (bound: number): Broken => ({
  is: "size",
  message: `A message may have ${bound} bytes, and this one has more`
})

export const misshapen = (name: BoundName, bounds: TextBounds): Broken => ({
  is: "shape",
  message: SHAPES[name](bounds[name])
})
