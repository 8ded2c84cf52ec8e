/**
 * One JSON-RPC message of somebody else, read as its bytes come: what it may be, and what reads it. A message that breaks a
 * bound is refused at the bytes that break it, before anything of it is parsed.
 */
import type { BoundName, TextBounds } from "./JsonBounds.ts"

/** What one message may be. */
export interface MessageBounds extends TextBounds {
  readonly bytes: number
}

/** Why a message is refused. */
export interface Broken {
  /** `size`: too many bytes. `shape`: what is in them. */
  readonly is: "size" | "shape"
  /** For its sender: which bound, with its number. */
  readonly message: string
}

/** Reads one message. It is not used again after it has refused one. */
export interface MessageReader {
  /** Takes the next bytes; gives the bound that is broken with them. The bytes may be overwritten afterwards. */
  readonly push: (bytes: Uint8Array) => Broken | undefined
  /** About the bytes of memory that the message takes now, and will take when it is parsed. */
  readonly weight: () => number
  /** The message, when all of it has come; `undefined` for what is no JSON. Called once. */
  readonly read: () => { readonly value: unknown } | undefined
}

/** What clients of one kind of offer may send. */
export interface Intake {
  /** The size of one message: where its length is announced, it is refused before a byte is read. */
  readonly messageMaxBytes: number
  /** Weight of what is received and not answered yet: of one client, and of all clients together. */
  readonly receivingMaxBytes: number
  readonly receivingInAllMaxBytes: number
  /** For each message anew. */
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
