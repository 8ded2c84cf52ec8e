/**
 * The prompt on a terminal. Ctrl-C stops a running answer, clears a line that was begun, and leaves at an empty prompt, as
 * do Ctrl-D and /quit. What is typed while an answer runs is asked next. A server's question takes the terminal over,
 * whatever goes on, and gives it back with the line that was begun; Ctrl-C then dismisses the question alone.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import { clearLine, createInterface, cursorTo } from "node:readline"
import { Dismissed } from "./elicit.ts"
import { questionWidth, writeLogsThrough } from "./output.ts"
import type { Floor, Questions } from "./questions.ts"

const HISTORY = 1000
const PROMPT = "> "

export interface PromptOptions {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream & { readonly columns?: number | undefined }
  /** Answers one line; interrupted by Ctrl-C. */
  readonly answer: (line: string) => Effect.Effect<void>
  /** Called after an answer was stopped. */
  readonly onStopped: () => void
  readonly questions?: Questions | undefined
}

/** A question that has the terminal. */
interface Question {
  readonly lines: Queue.Queue<string>
  readonly dismissed: Deferred.Deferred<never, Dismissed>
}

/** Returns when the person leaves. */
export const promptLoop = Effect.fnUntraced(function* ({ answer, input, onStopped, output, questions }: PromptOptions) {
  const lines = yield* Queue.unbounded<string, Cause.Done>()
  const interrupts = yield* Queue.sliding<"interrupt">(1)
  let asking = false
  let closed = false
  let question: Question | undefined
  let remembered: ReadonlyArray<string> = []

  const terminal = yield* Effect.acquireRelease(
    Effect.sync(() => createInterface({ input, output, prompt: PROMPT, historySize: HISTORY, terminal: true })),
    (open) => Effect.sync(() => open.close())
  )
  const clearRow = () => {
    cursorTo(output, 0)
    clearLine(output, 0)
  }
  /** Only where there is something: readline would draw its prompt anew. */
  const clearTyped = () => {
    if (terminal.line === "") return
    terminal.write(null, { ctrl: true, name: "e" })
    terminal.write(null, { ctrl: true, name: "u" })
  }
  const dismiss = (open: Question | undefined) => {
    if (open !== undefined) Deferred.doneUnsafe(open.dismissed, Effect.fail(new Dismissed()))
  }
  terminal.on("line", (line) => Queue.offerUnsafe(question?.lines ?? lines, line))
  terminal.on("close", () => {
    closed = true
    Queue.endUnsafe(lines)
    dismiss(question)
  })
  terminal.on("SIGINT", () => {
    if (question !== undefined) dismiss(question)
    else if (asking && terminal.line !== "") clearTyped()
    else Queue.offerUnsafe(interrupts, "interrupt")
  })
  // What a server was told is not offered again with the arrow keys.
  terminal.on("history", (history) => {
    if (question === undefined) remembered = [...history]
    else history.splice(0, history.length, ...remembered)
  })
  yield* writeLogsThrough((write) => {
    if (!asking && question === undefined) return write()
    clearRow()
    write()
    if (!closed) terminal.prompt(true)
  })

  const takeFloor = Effect.gen(function* () {
    const opened = { lines: yield* Queue.unbounded<string>(), dismissed: yield* Deferred.make<never, Dismissed>() }
    const begun = terminal.line
    if (asking || begun !== "") {
      clearTyped()
      clearRow()
    } else {
      output.write("\n")
    }
    if (closed) dismiss(opened)
    question = opened
    return { begun, opened }
  })

  const giveFloorBack = (begun: string) =>
    Effect.sync(() => {
      question = undefined
      if (closed) return
      // A line that was begun for the question is none for the conversation.
      terminal.setPrompt(PROMPT)
      clearTyped()
      clearRow()
      if (asking) terminal.prompt()
      if (begun !== "") terminal.write(begun)
    })

  const floor: Floor = (use) =>
    Effect.acquireUseRelease(
      takeFloor,
      ({ opened }) =>
        use({
          width: () => questionWidth(output),
          show: (text) =>
            Effect.sync(() => {
              clearRow()
              output.write(`${text}\n`)
            }),
          ask: (prompt) =>
            Effect.suspend(() => {
              if (!closed) {
                terminal.setPrompt(prompt)
                terminal.prompt()
              }
              return Effect.raceFirst(Deferred.await(opened.dismissed), Queue.take(opened.lines))
            }).pipe(Effect.map((line) => line.trim()))
        }),
      ({ begun }) => giveFloorBack(begun)
    )
  if (questions !== undefined) yield* questions.askOn(floor)

  const nextLine = Effect.gen(function* () {
    // An impatient second Ctrl-C was meant for the answer that has just been stopped.
    yield* Queue.clear(interrupts)
    asking = true
    if (question === undefined && !closed) terminal.prompt()
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
