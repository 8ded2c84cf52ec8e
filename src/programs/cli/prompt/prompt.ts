/**
 * The prompt on a terminal.
 *
 * Ctrl-C stops a running answer and clears a line that was begun; pressed twice at an empty prompt it leaves, as Ctrl-D and
 * /quit do. A line that is typed while an answer runs is sent next. Pasted lines are one input, which Enter sends.
 *
 * A question takes over the terminal at any time and then gives it back together with the line that was begun; Ctrl-C
 * dismisses the question only. Only text that was typed after the question was shown answers it: in the middle of a line, and
 * after a question that was withdrawn, the person has to press Enter first.
 */
import type * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Queue from "effect/Queue"
import { clearLine, createInterface, cursorTo } from "node:readline"
import { Dismissed, type Dialogue } from "../questions/elicit.ts"
import { askingPerson, questionWidth, writeLogsThrough } from "../output.ts"
import type { Completed } from "./completion.ts"
import type { Floor, Questions } from "../questions/questions.ts"
import { clearTyped, discardTyped, takeLineBegun, untilTypedIsRead } from "../questions/typedBefore.ts"
import { asCommand } from "./typed.ts"

const HISTORY = 1000
const PROMPT = "> "
const LEAVE_HINT = "(press Ctrl-C again, or Ctrl-D, to leave)"
/** Makes the terminal mark where pasted text begins and ends. */
const [PASTES_MARKED, PASTES_PLAIN] = ["\u001b[?2004h", "\u001b[?2004l"]

export interface PromptOptions {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream & {
    readonly columns?: number | undefined
    readonly isTTY?: boolean | undefined
  }
  /** Answers one input. Ctrl-C interrupts it. */
  readonly answer: (line: string) => Effect.Effect<void>
  /** Called after an answer was stopped. */
  readonly onStopped: () => void
  readonly questions?: Questions | undefined
  /** Completes a line on Tab; called while no question is open. */
  readonly complete?: ((line: string) => Effect.Effect<Completed>) | undefined
}

/** A question that has the terminal. */
interface Question {
  readonly lines: Queue.Queue<string>
  readonly dismissed: Deferred.Deferred<never, Dismissed>
}

/** Returns when the person leaves. */
export const promptLoop = Effect.fnUntraced(function* ({
  answer,
  complete,
  input,
  onStopped,
  output,
  questions
}: PromptOptions) {
  const lines = yield* Queue.unbounded<string, Cause.Done>()
  const interrupts = yield* Queue.sliding<"interrupt">(1)
  let asking = false
  let closed = false
  let question: Question | undefined
  let isPasting = false
  let pasted: ReadonlyArray<string> = []
  let remembered: ReadonlyArray<string> = []
  /** The line that was given back after a question: the person may be typing another one. */
  let givenBack = ""
  /** The last question was withdrawn, and the person may still be typing an answer to it. */
  let wasWithdrawn = false
  /** A paste that began before the question. */
  let isOldPaste = false

  const run = yield* FiberSet.makeRuntime()
  const completer = (line: string, done: (error: null, completed: [Array<string>, string]) => void) => {
    if (complete === undefined || question !== undefined) return done(null, [[], line])
    run(Effect.map(complete(line), ([hits, of]) => done(null, [[...hits], of])))
  }

  const terminal = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createInterface({ input, output, prompt: PROMPT, historySize: HISTORY, terminal: true, completer })
    ),
    (open) => Effect.sync(() => open.close())
  )
  if (output.isTTY === true) {
    output.write(PASTES_MARKED)
    yield* Effect.addFinalizer(() => Effect.sync(() => output.write(PASTES_PLAIN)))
  }
  const onKeypress = (_: unknown, key: { readonly name?: string } | undefined) => {
    if (key?.name === "paste-start") isPasting = true
    if (key?.name === "paste-end") isPasting = isOldPaste = false
  }
  input.on("keypress", onKeypress)
  yield* Effect.addFinalizer(() => Effect.sync(() => input.off("keypress", onKeypress)))
  const clearRow = () => {
    cursorTo(output, 0)
    clearLine(output, 0)
  }
  const dismiss = (open: Question | undefined) => {
    if (open !== undefined) Deferred.doneUnsafe(open.dismissed, Effect.fail(new Dismissed()))
  }
  terminal.on("line", (line) => {
    if (question !== undefined) return isOldPaste ? undefined : void Queue.offerUnsafe(question.lines, line)
    if (isPasting) return void (pasted = [...pasted, line])
    Queue.offerUnsafe(lines, [...pasted, line].join("\n"))
    pasted = []
    givenBack = ""
    wasWithdrawn = false
  })
  terminal.on("close", () => {
    closed = true
    Queue.endUnsafe(lines)
    dismiss(question)
  })
  terminal.on("SIGINT", () => {
    if (question !== undefined) dismiss(question)
    else if (asking && (terminal.line !== "" || pasted.length > 0)) {
      pasted = []
      clearTyped(terminal)
    } else Queue.offerUnsafe(interrupts, "interrupt")
  })
  // The arrow keys do not offer answers to servers again.
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
    const isMidLine = wasWithdrawn || isPasting || pasted.length > 0 || begun !== givenBack
    isOldPaste = isPasting
    if (asking || begun !== "") {
      clearTyped(terminal)
      clearRow()
    } else {
      output.write("\n")
    }
    if (closed) dismiss(opened)
    question = opened
    return { begun, isMidLine, opened }
  })

  const giveFloorBack = (begun: string) =>
    Effect.sync(() => {
      question = undefined
      if (closed) return
      // A line that was begun for the question does not belong to the conversation.
      terminal.setPrompt(PROMPT)
      clearTyped(terminal)
      clearRow()
      if (asking) terminal.prompt()
      if (begun !== "") terminal.write(begun)
      givenBack = begun
    })

  const exchangeOf = ({ dismissed, lines: typed }: Question): Dialogue => ({
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
        return Effect.raceFirst(Deferred.await(dismissed), Queue.take(typed))
      }).pipe(Effect.map((line) => line.trim()))
  })

  const discard = ({ lines: typed }: Question) => discardTyped(terminal, typed, () => closed)

  const floor: Floor = (use) =>
    Effect.scoped(
      Effect.andThen(
        Effect.andThen(untilTypedIsRead, askingPerson),
        Effect.acquireUseRelease(
          takeFloor,
          Effect.fnUntraced(function* ({ isMidLine, opened }) {
            const exchange = exchangeOf(opened)
            if (isMidLine) {
              yield* takeLineBegun(exchange)
              yield* discard(opened)
              wasWithdrawn = false
            }
            return yield* use(exchange)
          }),
          ({ begun, opened }, exit) => {
            if (!Exit.hasInterrupts(exit)) return giveFloorBack(begun)
            wasWithdrawn = true
            return Effect.andThen(discard(opened), giveFloorBack(begun))
          }
        )
      )
    )
  if (questions !== undefined) yield* questions.askOn(floor)

  /** The next input; `undefined` when the person leaves, or pressed Ctrl-C at an empty prompt. */
  const nextInput = Effect.gen(function* () {
    asking = true
    if (question === undefined && !closed) terminal.prompt()
    const line = yield* Effect.raceFirst(Effect.exit(Queue.take(lines)), Queue.take(interrupts))
    asking = false
    if (line === "interrupt") return "interrupt" as const
    return Exit.isFailure(line) ? ("end" as const) : { text: asCommand(line.value) }
  })

  let isWarned = false
  for (;;) {
    const typed = yield* nextInput
    if (typeof typed === "string") output.write("\n")
    if (typed === "end" || (typed === "interrupt" && isWarned)) return
    isWarned = typed === "interrupt"
    if (typed === "interrupt") {
      output.write(`${LEAVE_HINT}\n`)
      continue
    }
    const { text } = typed
    if (text === "/quit" || text === "/exit") return
    if (text === "") continue
    const stopped = yield* Effect.raceFirst(Effect.as(answer(text), false), Effect.as(Queue.take(interrupts), true))
    if (stopped) onStopped()
    // A second Ctrl-C in impatience was meant for the answer that has just been stopped.
    yield* Queue.clear(interrupts)
  }
}, Effect.scoped)
