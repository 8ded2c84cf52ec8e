/**
 * Lines of an editor before they are frames. One that is too long is passed over and answered, and costs no other: what comes
 * after it is read as ever.
 */
import { INVALID_REQUEST } from "./failure.ts"

const NEWLINE = 0x0a
/** Enough of a line to see which request it was. */
const HEAD_BYTES = 512

const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"\s*,\s*`
/** Where the id stands before the rest, as nearly everybody writes it. An answer of the client's is no request of it. */
const REQUEST = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION})?"id"\s*:\s*(-?\d{1,15}|"[^"\\\x00-\x1f]{0,128}")\s*,\s*(?:${VERSION})?"method"\s*:`
)

const idOf = (head: string): number | string | null => {
  const id = REQUEST.exec(head)?.[1]
  return id === undefined ? null : (JSON.parse(id) as number | string)
}

/** The answer to a line that began so. */
const refusalOf = (head: string, maxBytes: number) => ({
  jsonrpc: "2.0",
  id: idOf(head),
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
  /** The line so far, where it is not all in one piece. */
  let held = Buffer.alloc(0)
  let size = 0
  let passedOver: string | undefined

  const hold = (part: Uint8Array) => {
    if (passedOver !== undefined) return
    if (size + part.length > maxBytes) {
      const head = Buffer.concat([held.subarray(0, Math.min(size, HEAD_BYTES)), part.subarray(0, HEAD_BYTES)])
      passedOver = head.toString("latin1", 0, HEAD_BYTES)
      held = Buffer.alloc(0)
      return
    }
    if (size + part.length > held.length) {
      const larger = Buffer.allocUnsafe(Math.max(size + part.length, Math.min(held.length * 2, maxBytes)))
      held.copy(larger, 0, 0, size)
      held = larger
    }
    held.set(part, size)
    size += part.length
  }

  const end = async (controller: TransformStreamDefaultController<Uint8Array>) => {
    const [line, head] = [held.subarray(0, size), passedOver]
    held = Buffer.alloc(0)
    size = 0
    passedOver = undefined
    if (head !== undefined) return void (await answer(JSON.stringify(refusalOf(head, maxBytes))))
    controller.enqueue(line)
    controller.enqueue(Buffer.of(NEWLINE))
  }

  return new TransformStream({
    transform: async (chunk, controller) => {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        hold(chunk.subarray(from, at))
        await end(controller)
        from = at + 1
      }
      hold(chunk.subarray(from))
    },
    flush: async (controller) => {
      if (size > 0 || passedOver !== undefined) await end(controller)
    }
  })
}
