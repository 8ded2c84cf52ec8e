/** Bytes of a stream into a line reader, in turns with everybody else: whoever floods us waits in the pipe. */
import type { Readable } from "node:stream"
import type { LineReader } from "./framing.ts"
import { makeTurns } from "./turns.ts"

export const feed = (stream: Readable, reader: LineReader): void => {
  const turns = makeTurns()
  const isOver = () => turns.isOver(performance.now())
  let rest: Buffer | undefined

  /** Whether all of it is read and there is time for more. */
  const work = (chunk: Buffer): boolean => {
    turns.begin(performance.now())
    rest = reader.push(chunk, isOver)
    const over = turns.end(performance.now())
    return rest === undefined && !over
  }

  const wait = () => {
    stream.pause()
    turns.rest(() => {
      if (stream.destroyed) return
      if (rest === undefined || work(rest)) stream.resume()
      else wait()
    })
  }

  stream.on("data", (chunk: Buffer) => {
    if (!work(chunk)) wait()
  })
}
