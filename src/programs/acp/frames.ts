/** Lines of an editor before they are frames. One that is too long is answered, and passed over. */
import { Lines, type Line } from "../../system/lines.ts"
import { INVALID_REQUEST } from "./failure.ts"

const NEWLINE = Buffer.of(0x0a)

const refusalOf = (id: number | string | null, maxBytes: number) => ({
  jsonrpc: "2.0",
  id,
  error: {
    code: INVALID_REQUEST,
    message: `Invalid request: a message may have ${maxBytes} bytes, and this one has more`
  }
})

/** Gives whole lines of at most so many bytes; `answer` gets one line for each that has more. */
export const withinLimit = (
  maxBytes: number,
  answer: (line: string) => Promise<unknown>
): TransformStream<Uint8Array, Uint8Array> => {
  const lines = new Lines(maxBytes)
  type Controller = TransformStreamDefaultController<Uint8Array>
  const pass = async (some: Iterable<Line>, controller: Controller) => {
    for (const line of some) {
      if ("tooLong" in line) await answer(JSON.stringify(refusalOf(line.tooLong.id, maxBytes)))
      else {
        controller.enqueue(line.bytes)
        controller.enqueue(NEWLINE)
      }
    }
  }
  return new TransformStream({
    transform: (chunk, controller) => pass(lines.take(chunk), controller),
    flush: (controller) => pass(lines.rest(), controller)
  })
}
