/**
 * A terminal for commands without a prompt: it is taken for one question at a time and then given back. Questions go to
 * stderr, since stdout is for results. Text that was typed before a question was shown does not answer it.
 */
import * as Effect from "effect/Effect"
import * as Deferred from "effect/Deferred"
import * as Queue from "effect/Queue"
import { clearLine, createInterface, cursorTo } from "node:readline"
import { Writable } from "node:stream"
import { Dismissed, type Dialogue } from "./elicit.ts"
import { askingPerson, questionWidth, writeLogsThrough } from "../output.ts"
import type { Floor } from "./questions.ts"
import { discardTyped, takeLineBegun } from "./typedBefore.ts"

export interface Terminal {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream & { readonly columns?: number | undefined }
}

/** The terminal for the line that is typed, which shows nothing of it while `isHidden` says so. */
const echoing = (output: Terminal["output"], isHidden: () => boolean): Terminal["output"] => {
  const echo = new Writable({
    write: (piece: Buffer, _, done) => {
      if (!isHidden()) output.write(piece)
      done()
    }
  })
  return Object.defineProperty(echo, "columns", { get: () => output.columns })
}

/** Ctrl-C and Ctrl-D dismiss the question. */
export const makeFloor = ({ input, output }: Terminal): Floor => {
  let wasWithdrawn = false
  return (use) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* askingPerson
        const lines = yield* Queue.unbounded<string>()
        const dismissed = yield* Deferred.make<never, Dismissed>()
        let hidden = false
        const echo = echoing(output, () => hidden)
        const open = yield* Effect.acquireRelease(
          Effect.sync(() => createInterface({ input, output: echo, prompt: "", historySize: 0, terminal: true })),
          (terminal) => Effect.sync(() => terminal.close())
        )
        const dismiss = () => Deferred.doneUnsafe(dismissed, Effect.fail(new Dismissed()))
        let asking = false
        let closed = false
        open.on("line", (line) => Queue.offerUnsafe(lines, line))
        open.on("SIGINT", dismiss)
        open.on("close", () => {
          closed = true
          dismiss()
        })
        const clearRow = () => {
          cursorTo(output, 0)
          clearLine(output, 0)
        }
        yield* writeLogsThrough((write) => {
          if (asking) clearRow()
          write()
          if (asking && !closed) open.prompt(true)
        })
        const dialogue: Dialogue = {
          width: () => questionWidth(output),
          show: (text) => Effect.sync(() => void output.write(`${text}\n`)),
          ask: (prompt, isHidden = false) =>
            Effect.suspend(() => {
              asking = true
              if (!closed) {
                open.setPrompt(prompt)
                open.prompt()
                hidden = isHidden
              }
              return Effect.raceFirst(Deferred.await(dismissed), Queue.take(lines))
            }).pipe(
              Effect.map((line) => line.trim()),
              // End the prompt's row, so that further output starts on a new one.
              Effect.tap(() => Effect.sync(() => void (isHidden && output.write("\n")))),
              Effect.tapError(() => Effect.sync(() => void output.write("\n"))),
              Effect.ensuring(Effect.sync(() => (asking = hidden = false)))
            )
        }
        const discard = discardTyped(open, lines, () => closed)
        // Text that was typed before the terminal was ours arrives now.
        yield* discard
        if (wasWithdrawn) {
          yield* takeLineBegun(dialogue)
          yield* discard
          wasWithdrawn = false
        }
        return yield* use(dialogue).pipe(Effect.onInterrupt(() => Effect.sync(() => (wasWithdrawn = true))))
      })
    )
}
