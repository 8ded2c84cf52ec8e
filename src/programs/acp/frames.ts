/**
 * Splits the editor's input into lines within bounds. A line that breaks a bound is answered with an error and skipped. A
 * limited number of lines is handed on per turn of the event loop, however many one chunk contains.
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

/** Passes on whole lines within these bounds; `answer` gets one error line for each that breaks a bound. */
export const withinBounds = (
  bounds: MessageBounds,
  answer: (line: string) => Promise<unknown>
): TransformStream<Uint8Array, Uint8Array> => {
  const lines = new Lines(() => makeByteReader(bounds))
  let handedOn = 0
  type Controller = TransformStreamDefaultController<Uint8Array>
  const pass = async (some: Iterable<Line<ByteReader>>, controller: Controller) => {
    for (const line of some) {
      // The promises that a line starts run before the next turn.
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
