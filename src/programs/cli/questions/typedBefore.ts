/**
 * What a person typed before a question was shown is no answer to it: neither a line that they had begun for something else,
 * nor what still lies in the terminal's buffer.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Interface } from "node:readline"
import type { Dialogue } from "./elicit.ts"

/** Only where there is something: readline would draw its prompt anew. */
export const clearTyped = (terminal: Interface): void => {
  if (terminal.line === "") return
  terminal.write(null, { ctrl: true, name: "e" })
  terminal.write(null, { ctrl: true, name: "u" })
}

/** Node reads a terminal once in each turn of its loop. The turn that is under way may have read already; the next one has not. */
export const untilTypedIsRead: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

/** Also what was typed by now and has not been read yet. `isClosed`: a closed terminal has no line to clear. */
export const discardTyped = (
  terminal: Interface,
  lines: Queue.Queue<string>,
  isClosed: () => boolean
): Effect.Effect<void> =>
  untilTypedIsRead.pipe(
    Effect.andThen(Queue.clear(lines)),
    Effect.andThen(Effect.sync(() => (isClosed() ? undefined : clearTyped(terminal))))
  )

/** Before a question is shown to a person who may be in the midst of a line: takes that line, so that the question does not. */
export const takeLineBegun = ({ ask, show }: Dialogue): Effect.Effect<void> =>
  show("(a question waits; what you type before you press Enter is discarded)").pipe(
    Effect.andThen(ask("Press Enter to see the question: ")),
    Effect.ignore
  )
