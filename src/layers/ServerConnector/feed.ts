/**
 * Bytes of a stream into a line reader, a few milliseconds of work at a time: then everybody else has their turn, and whoever
 * floods us waits in the pipe.
 */
import type { Readable } from "node:stream"
import { STREAM_TURN_MS, STREAM_WINDOW_MS } from "../../schemas/Defaults.ts"
import type { LineReader } from "./framing.ts"

export const feed = (stream: Readable, reader: LineReader): void => {
  let windowFrom = 0
  let spent = 0
  let rest: Buffer | undefined

  /** Whether all of it is read and there is time for more. */
  const work = (chunk: Buffer): boolean => {
    const from = performance.now()
    if (from - windowFrom > STREAM_WINDOW_MS) {
      windowFrom = from
      spent = 0
    }
    rest = reader.push(chunk, () => spent + performance.now() - from > STREAM_TURN_MS)
    spent += performance.now() - from
    return rest === undefined && spent <= STREAM_TURN_MS
  }

  const wait = () => {
    stream.pause()
    setImmediate(() => {
      windowFrom = 0
      if (stream.destroyed) return
      if (rest === undefined || work(rest)) stream.resume()
      else wait()
    })
  }

  stream.on("data", (chunk: Buffer) => {
    if (!work(chunk)) wait()
  })
}
