/**
 * stdin and stdout as the SDK's transport: one message per line, bounded, in order, and a bounded number in one turn of the event
 * loop. While a client does not read, nothing is read from it. A line that is no message gets an error, and does not affect others.
 */
import type { JSONRPCMessage, RequestId, Transport } from "../requests/sdk.ts"
import {
  LISTENER_PROBE_MS,
  LISTENER_PROBED_MAX_BYTES,
  LISTENER_UNREAD_MAX_BYTES,
  LISTENER_UNREAD_MS,
  LISTENER_WAITING_MAX_BYTES
} from "../../../../schemas/defaults/Listener.ts"
import { isObject } from "../../../../schemas/data/Json.ts"
import { STREAM_TURN_LINES, STREAM_TURN_MS } from "../../../../schemas/defaults/Wire.ts"
import type { MessageReader } from "../../../../schemas/connection/JsonMessage.ts"
import { Lines, type Line } from "../../../../system/lines.ts"
import type { Stdout } from "../../../../system/stdout.ts"
import { INVALID_PARAMS, INVALID_REQUEST, NOT_NOW, PARSE_ERROR, UNDER_WAY } from "../requests/refusals.ts"
import { cancelledIn, idOf, sizeFault, withRefusals } from "../requests/shapes.ts"

export interface StdioOptions {
  readonly input: NodeJS.ReadableStream
  readonly output: Stdout
  /** Makes a reader for each message. */
  readonly makeReader: () => MessageReader
  /** Weight of the requests that are under way. */
  readonly receivingMaxBytes: number
  /** Whether it is one of the protocol's messages: the SDK would drop anything else without a word. */
  readonly isMessage: (message: unknown) => boolean
  /** Called before a message is handed on. */
  readonly onArrival: (message: Readonly<Record<string, unknown>>) => void
  /** While this holds, no message is handed on. */
  readonly isBusy: () => boolean
}

export interface StdioTransport extends Transport {
  /** Hands on what waits, if that is possible now. */
  readonly wake: () => void
  /** Done when everything that was sent has been read, or the client is gone. */
  readonly read: () => Promise<void>
}

const NO_MESSAGE = "Invalid request: the line is not a JSON-RPC message"

const NO_ROOM = "The requests under way are too large: send this one again when some of them are answered"

/** Chunks wait as they came. Even a small one takes so much memory. */
const CHUNK_COSTS = 2048

const costOf = (chunk: Uint8Array) => chunk.length + CHUNK_COSTS

/**
 * What the SDK sends before it accepts the next message. The SDK must not wait until this is read: messages that come meanwhile
 * would pile up there, where nobody counts them.
 */
const isReply = (message: JSONRPCMessage): boolean =>
  !("method" in message) || message.method === "notifications/subscriptions/acknowledged"

export const makeStdioTransport = ({
  input,
  isBusy,
  isMessage,
  makeReader,
  onArrival,
  output,
  receivingMaxBytes
}: StdioOptions): StdioTransport => {
  const lines = new Lines(makeReader)
  const waiting: Array<Uint8Array> = []
  /** What is left of the chunk whose lines are handed on. */
  let rest: Generator<Line<MessageReader>> | undefined
  /** The weight of each request under way, and of all of them. */
  const underWay = new Map<RequestId, number>()
  let underWayBytes = 0
  let waitingBytes = 0
  let unreadBytes = 0
  let isClosed = false
  let isPaused = false
  let probing: NodeJS.Timeout | undefined
  let probedBytes = 0
  let takenAt = 0
  let last: Promise<unknown> = Promise.resolve()

  const close = () => {
    if (isClosed) return
    isClosed = true
    clearInterval(probing)
    input.pause()
    transport.onclose?.()
  }

  const send = async (message: unknown): Promise<void> => {
    if (isClosed) throw new Error("the client has left")
    const line = `${JSON.stringify(message)}\n`
    unreadBytes += line.length
    try {
      const sent = output.send(line)
      last = sent.catch(() => {})
      await sent
    } catch (error) {
      close()
      throw error
    } finally {
      unreadBytes -= line.length
      takenAt = performance.now()
      wake()
    }
  }

  const refuse = (id: RequestId | null, code: number, message: string) =>
    void send({ jsonrpc: "2.0", id, error: { code, message } }).catch(() => {})

  const begun = (id: RequestId, weight: number) => {
    underWay.set(id, weight)
    underWayBytes += weight
  }

  const ended = (id: RequestId) => {
    underWayBytes -= underWay.get(id) ?? 0
    underWay.delete(id)
  }

  const handOn = (line: Line<MessageReader>) => {
    if ("refused" in line) return refuse(line.id, INVALID_REQUEST, `Invalid request: ${line.refused.message}`)
    const weight = line.message.weight()
    const parsed = line.message.read()
    if (parsed === undefined) return refuse(null, PARSE_ERROR, "Parse error: the line is not JSON")
    const message = withRefusals(parsed.value)
    if (!isObject(message) || !isMessage(message)) return refuse(idOf(message), INVALID_REQUEST, NO_MESSAGE)
    const fault = sizeFault(message)
    if (fault !== undefined) return refuse(idOf(message), INVALID_PARAMS, `Invalid params: ${fault}`)
    const id = idOf(message)
    // Its answer could not be told from that of the other one.
    if (id !== null && underWay.has(id)) return refuse(null, INVALID_REQUEST, UNDER_WAY)
    // A request that is larger than the limit for all may be under way alone.
    if (id !== null && underWayBytes > 0 && underWayBytes + weight > receivingMaxBytes) {
      return refuse(id, NOT_NOW, NO_ROOM)
    }
    if (id !== null) begun(id, weight)
    // The SDK does not answer a cancelled request.
    const cancelled = cancelledIn(message)
    if (cancelled !== undefined) ended(cancelled)
    onArrival(message)
    transport.onmessage?.(message as unknown as JSONRPCMessage)
  }

  const begin = (): typeof rest => {
    const chunk = waiting.shift()
    if (chunk === undefined) return undefined
    waitingBytes -= costOf(chunk)
    return lines.take(chunk)
  }

  /** Hands on a line, or finishes a chunk; `false` if nothing can be done now. */
  const step = (): boolean => {
    if (isClosed || unreadBytes >= LISTENER_UNREAD_MAX_BYTES || isBusy()) return false
    rest ??= begin()
    const line = rest?.next()
    if (line?.done === false) handOn(line.value)
    else rest = undefined
    return line !== undefined
  }

  const isFull = () => waitingBytes >= LISTENER_WAITING_MAX_BYTES

  let isHanding = false
  let steps = 0
  /** Hands on lines for some milliseconds; then other work has its turn. */
  const wake = () => {
    if (isHanding) return
    isHanding = true
    const from = performance.now()
    while (step()) {
      // The work that a line causes is done in promises, after it.
      if (++steps % STREAM_TURN_LINES === 0 || performance.now() - from > STREAM_TURN_MS) {
        return void setImmediate(wakeAgain)
      }
    }
    isHanding = false
    if (isPaused && !isFull() && !isClosed) {
      isPaused = false
      clearInterval(probing)
      input.resume()
    }
  }

  const wakeAgain = () => {
    isHanding = false
    wake()
  }

  /** Only reading shows that the client has left, so something is read from time to time although it does not read us. */
  const probe = () => {
    if (probedBytes < LISTENER_PROBED_MAX_BYTES) return void input.resume()
    // It sends more and more, and reads nothing.
    if (!isBusy() && performance.now() - takenAt >= LISTENER_UNREAD_MS) close()
  }

  const pause = () => {
    input.pause()
    if (isPaused) return
    isPaused = true
    probedBytes = 0
    takenAt = performance.now()
    probing = setInterval(probe, LISTENER_PROBE_MS).unref()
  }

  const receive = (chunk: Uint8Array) => {
    if (isPaused) probedBytes += costOf(chunk)
    waiting.push(chunk)
    waitingBytes += costOf(chunk)
    wake()
    if (isFull() && !isClosed) pause()
  }

  const transport: StdioTransport = {
    start: async () => {
      input.on("data", (chunk: Uint8Array) => receive(chunk))
      for (const event of ["end", "close", "error"]) input.on(event, close)
    },
    send: (message) => {
      if (!("method" in message) && message.id !== undefined) ended(message.id)
      const sent = send(message)
      if (!isReply(message)) return sent
      void sent.catch(() => {})
      return Promise.resolve()
    },
    close: async () => close(),
    wake,
    read: async () => void (await last)
  }
  return transport
}
