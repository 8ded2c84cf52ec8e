/** Lines of a stream that is no terminal, one at a time, as they come. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import { createInterface } from "node:readline"
import { asCommand } from "./typed.ts"

/** `next`: a line that says something, trimmed, as the command that it means; `undefined` when there are no more, or the writer takes its leave. */
export const linesOf = Effect.fnUntraced(function* (input: NodeJS.ReadableStream) {
  const lines = yield* Queue.unbounded<string, Cause.Done>()
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => createInterface({ input, terminal: false })),
    (open) => Effect.sync(() => open.close())
  )
  reader.on("line", (line) => {
    Queue.offerUnsafe(lines, line.trim())
    // A long file waits where it is.
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
