/** Reads lines from a stream that is not a terminal, one at a time. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import { createInterface } from "node:readline"
import { asCommand } from "./typed.ts"

/**
 * `next` returns a line that is not empty, trimmed, as the command that it stands for; `undefined` at the end of input or
 * after a command to leave.
 */
export const linesOf = Effect.fnUntraced(function* (input: NodeJS.ReadableStream) {
  const lines = yield* Queue.unbounded<string, Cause.Done>()
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => createInterface({ input, terminal: false })),
    (open) => Effect.sync(() => open.close())
  )
  reader.on("line", (line) => {
    Queue.offerUnsafe(lines, line.trim())
    // Stop reading: the rest of a long file stays where it is.
    if (!closed) reader.pause()
  })
  let closed = false
  reader.on("close", () => {
    closed = true
    Queue.endUnsafe(lines)
  })
  const next = Effect.gen(function* () {
    for (;;) {
      if (!closed) reader.resume()
      const line = yield* Effect.exit(Queue.take(lines))
      if (Exit.isFailure(line)) return undefined
      const text = asCommand(line.value)
      if (text === "/quit" || text === "/exit") return undefined
      if (text !== "") return text
    }
  })
  return { next }
})
