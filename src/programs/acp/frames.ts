/**
 * Lines of an editor before they are frames. One that breaks a bound is answered, and passed over. So many are handed on in one
 * turn of the event loop, however many one chunk has.
 */
import { STREAM_TURN_LINES } from "../../schemas/defaults/Wire.ts"
import type { Broken, MessageBounds } from "../../schemas/connection/JsonMessage.ts"
import { Lines, type Line } from "../../system/lines.ts"
import { makeByteReader, type ByteReader } from "../../system/messageReader.ts"
import { INVALID_REQUEST } from "./failure.ts"

import { setImmediate } from "node:timers/promises"

const NEWLINE = Buffer.of(0x0a)

const refusalOf = (id: number | string | null, { message }: Broken) => ({
  jsonrpc: "2.0",
  id,
  error: { code: INVALID_REQUEST, message: `Invalid request: ${message}` }
})

/** Gives whole lines within these bounds; `answer` gets one line for each that breaks one. */
export const withinBounds = (
  bounds: MessageBounds,
  answer: (line: string) => Promise<unknown>
): TransformStream<Uint8Array, Uint8Array> => {
  const lines = new Lines(() => makeByteReader(bounds))
  let handedOn = 0
  type Controller = TransformStreamDefaultController<Uint8Array>
  const pass = async (some: Iterable<Line<ByteReader>>, controller: Controller) => {
    for (const line of some) {
      // What follows from a line is done before the next turn, in promises.
      if (++handedOn % STREAM_TURN_LINES === 0) await setImmediate()
      if ("refused" in line) await answer(JSON.stringify(refusalOf(line.id, line.refused)))
      else {
        controller.enqueue(line.message.bytes())
        controller.enqueue(NEWLINE)
      }
    }
  }
  return new TransformStream({
    transform: (chunk, controller) => pass(lines.take(chunk), controller),
    flush: (controller) => pass(lines.rest(), controller)
  })
}
