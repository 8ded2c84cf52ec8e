/**
 * A connection on which no more than so many requests are being answered at once, and no more than so many bytes of them: one that
 * comes on top of them is refused.
 * Who does not read the refusals is not read from, so that nothing piles up here.
 */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk"
import { weightOf } from "../../schemas/connection/Weight.ts"
import { INTERNAL_ERROR, INVALID_REQUEST } from "./failure.ts"

export interface Bounded {
  readonly stream: Stream
  /** Done when no request is being answered. */
  readonly answered: () => Promise<void>
  /** Whether the client has gone, which is how a connection should end. */
  readonly isOver: () => boolean
}

type Id = string | number | null

/** What the SDK takes for a request, and nothing else. */
const idOf = (message: AnyMessage): Id | undefined => {
  const { id, jsonrpc, method } = message as Readonly<Record<string, unknown>>
  if (jsonrpc !== "2.0" || typeof method !== "string") return undefined
  return id === null || typeof id === "string" || (typeof id === "number" && Number.isFinite(id)) ? id : undefined
}

/** Each request has one answer. What was no request at all is answered as well, and without an id. */
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
  /** What each request weighs that is being answered. Ids may be there twice: whichever is answered first has the first weight. */
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
