/** Lines of an editor before they are frames. One that breaks a bound is answered, and passed over. */
import type { Broken, MessageBounds } from "../../schemas/connection/JsonMessage.ts"
import { Lines, type Line } from "../../system/lines.ts"
import { makeByteReader, type ByteReader } from "../../system/messageReader.ts"
import { INVALID_REQUEST } from "./failure.ts"

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
  type Controller = TransformStreamDefaultController<Uint8Array>
  const pass = async (some: Iterable<Line<ByteReader>>, controller: Controller) => {
    for (const line of some) {
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
