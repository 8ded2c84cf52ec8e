/**
 * Limits how many requests of a connection are answered at once, and their bytes; a request beyond that is refused. While a
 * client does not read its refusals, nothing is read from it, so that they cannot pile up.
 */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk"
import { weightOf } from "../../schemas/connection/Weight.ts"
import { INTERNAL_ERROR, INVALID_REQUEST } from "./failure.ts"

export interface Bounded {
  readonly stream: Stream
  /** Resolves when no request is being answered. */
  readonly answered: () => Promise<void>
  /** Whether the client has closed its input, the normal end of a connection. */
  readonly isOver: () => boolean
}

type Id = string | number | null

/** The same messages that the SDK treats as requests. */
const idOf = (message: AnyMessage): Id | undefined => {
  const { id, jsonrpc, method } = message as Readonly<Record<string, unknown>>
  if (jsonrpc !== "2.0" || typeof method !== "string") return undefined
  return id === null || typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : undefined
}

/** Each request has one answer. The SDK also answers messages that are not requests, without an id. */
const isAnswer = (message: AnyMessage): message is AnyMessage & { readonly id: Id } =>
  "id" in message &&
  !("method" in message) &&
  !(message.id === null && "error" in message && message.error.code === INVALID_REQUEST)

const busy = (id: Id, why: string): AnyMessage => ({
  jsonrpc: "2.0",
  id,
  error: { code: INTERNAL_ERROR, message: `Busy: ${why}; send this one again later` }
})

export const bounded = ({ readable, writable }: Stream, most: number, mostBytes: number): Bounded => {
  const writer = writable.getWriter()
  const waiting = new Set<() => void>()
  /** The size of each request that is being answered. Two may have the same id: the first answer releases the first size. */
  const weights = new Map<Id, Array<number>>()
  let underway = 0
  let bytes = 0
  let over = false

  const write = (message: AnyMessage) =>
    writer.write(message).catch((error: unknown) => {
      over = true
      throw error
    })

  const forget = (id: Id) => {
    const [weight = 0, ...others] = weights.get(id) ?? []
    bytes -= weight
    if (others.length > 0) weights.set(id, others)
    else weights.delete(id)
  }

  const requests = new TransformStream<AnyMessage, AnyMessage>({
    transform: async (message, controller) => {
      const id = idOf(message)
      if (id === undefined) return controller.enqueue(message)
      if (underway >= most) return void (await write(busy(id, `${most} requests are being answered already`)))
      const weight = weightOf(message)
      if (bytes > 0 && bytes + weight > mostBytes) {
        return void (await write(
          busy(id, `the requests that are being answered have ${mostBytes} bytes, with this one`)
        ))
      }
      underway++
      bytes += weight
      weights.set(id, [...(weights.get(id) ?? []), weight])
      controller.enqueue(message)
    },
    flush: () => {
      over = true
    }
  })

  const answers = new WritableStream<AnyMessage>({
    write: async (message) => {
      await write(message)
      if (!isAnswer(message)) return
      underway--
      forget(message.id)
      if (underway > 0) return
      for (const done of waiting) done()
      waiting.clear()
    }
  })

  return {
    stream: { readable: readable.pipeThrough(requests), writable: answers },
    answered: () => (underway === 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve))),
    isOver: () => over
  }
}
