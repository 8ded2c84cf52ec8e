/**
 * A connection on which no more than so many requests are being answered at once: one that comes on top of them is refused.
 * Who does not read the refusals is not read from, so that nothing piles up here.
 */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk"
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
const isAnswer = (message: AnyMessage): boolean =>
  "id" in message &&
  !("method" in message) &&
  !(message.id === null && "error" in message && message.error.code === INVALID_REQUEST)

const busy = (id: Id, most: number): AnyMessage => ({
  jsonrpc: "2.0",
  id,
  error: {
    code: INTERNAL_ERROR,
    message: `Busy: ${most} requests are being answered already; send this one again later`
  }
})

export const bounded = ({ readable, writable }: Stream, most: number): Bounded => {
  const writer = writable.getWriter()
  const waiting = new Set<() => void>()
  let underway = 0
  let over = false

  const write = (message: AnyMessage) =>
    writer.write(message).catch((error: unknown) => {
      over = true
      throw error
    })

  const requests = new TransformStream<AnyMessage, AnyMessage>({
    transform: async (message, controller) => {
      const id = idOf(message)
      if (id !== undefined && underway >= most) return void (await write(busy(id, most)))
      if (id !== undefined) underway++
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
