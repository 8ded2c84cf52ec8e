/**
 * Keeps text that was typed before a question was shown from answering it: a line that was begun for something else, and what
 * is still in the terminal's buffer.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Interface } from "node:readline"
import type { Dialogue } from "./elicit.ts"

/** Only if the line is not empty: readline would draw its prompt again. */
export const clearTyped = (terminal: Interface): void => {
  if (terminal.line === "") return
  terminal.write(null, { ctrl: true, name: "e" })
  terminal.write(null, { ctrl: true, name: "u" })
}

/** Node reads a terminal once per turn of the event loop. The current turn may have read already; the next one has not. */
export const untilTypedIsRead: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

/** Discards also what has been typed but not read yet. `isClosed`: a closed terminal has no line to clear. */
export const discardTyped = (
  terminal: Interface,
  lines: Queue.Queue<string>,
  isClosed: () => boolean
): Effect.Effect<void> =>
  untilTypedIsRead.pipe(
    Effect.andThen(Queue.clear(lines)),
    Effect.andThen(Effect.sync(() => (isClosed() ? undefined : clearTyped(terminal))))
  )

/**
 * For a person who may be in the middle of a line when a question comes: takes that line, so that it does not become the answer.
 */
export const takeLineBegun = ({ ask, show }: Dialogue): Effect.Effect<void> =>
  show("(a question is waiting; what you type before you press Enter is discarded)").pipe(
    Effect.andThen(ask("Press Enter to see the question: ")),
    Effect.ignore
  )
