/** Writes of one turn of the event loop: the first leaves at once, further ones together when the turn ends, in one system call. */
import type { Writable } from "node:stream"

export const writeTogether = (stream: Writable): ((text: string) => void) => {
  let hasWritten = false
  const end = () => {
    hasWritten = false
    stream.uncork()
  }
  return (text) => {
    if (hasWritten && stream.writableCorked === 0) stream.cork()
    else if (!hasWritten) {
      hasWritten = true
      setImmediate(end)
    }
    stream.write(text)
  }
}
