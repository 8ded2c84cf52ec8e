/**
 * The prompt on a terminal. Ctrl-C stops a running answer, clears a line that was begun, and leaves at an empty prompt, as
 * do Ctrl-D and /quit. What is typed while an answer runs is asked next.
 */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import { clearLine, createInterface, cursorTo } from "node:readline"
import { writeLogsThrough } from "./output.ts"

const HISTORY = 1000

export interface PromptOptions {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  /** Answers one line; interrupted by Ctrl-C. */
  readonly answer: (line: string) => Effect.Effect<void>
  /** Called after an answer was stopped. */
  readonly onStopped: () => void
}

/** Returns when the person leaves. */
export const promptLoop = Effect.fnUntraced(function* ({ answer, input, onStopped, output }: PromptOptions) {
  const lines = yield* Queue.unbounded<string, Cause.Done>()
  const interrupts = yield* Queue.sliding<"interrupt">(1)
  let asking = false

  const terminal = yield* Effect.acquireRelease(
    Effect.sync(() => createInterface({ input, output, prompt: "> ", historySize: HISTORY, terminal: true })),
    (open) => Effect.sync(() => open.close())
  )
  terminal.on("line", (line) => Queue.offerUnsafe(lines, line))
  terminal.on("close", () => Queue.endUnsafe(lines))
  terminal.on("SIGINT", () => {
    if (asking && terminal.line !== "") {
      terminal.write(null, { ctrl: true, name: "e" })
      terminal.write(null, { ctrl: true, name: "u" })
    } else {
      Queue.offerUnsafe(interrupts, "interrupt")
    }
  })
  yield* writeLogsThrough((write) => {
    if (!asking) return write()
    cursorTo(output, 0)
    clearLine(output, 0)
    write()
    terminal.prompt(true)
  })

  const nextLine = Effect.gen(function* () {
    // An impatient second Ctrl-C was meant for the answer that has just been stopped.
    yield* Queue.clear(interrupts)
    asking = true
    terminal.prompt()
    const line = yield* Effect.raceFirst(Effect.exit(Queue.take(lines)), Queue.take(interrupts))
    asking = false
    return line === "interrupt" || Exit.isFailure(line) ? undefined : line.value.trim()
  })

  for (;;) {
    const line = yield* nextLine
    if (line === undefined) output.write("\n")
    if (line === undefined || line === "/quit" || line === "/exit") return
    if (line === "") continue
    const stopped = yield* Effect.raceFirst(Effect.as(answer(line), false), Effect.as(Queue.take(interrupts), true))
    if (stopped) onStopped()
  }
}, Effect.scoped)
