/**
 * What a command waits for, told on stderr once that takes longer than a second: on a terminal on one line that is rewritten
 * and goes when the wait is over, elsewhere on one line.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { McpRuntimeShape } from "../../services/McpRuntime.ts"
import { clip } from "../../schemas/Rendering.ts"
import { complain, questionWidth, writeLogsThrough } from "./output.ts"

const TOLD_AFTER_MS = 1_000
const RENEWED_EVERY_MS = 500
export const CLEAR_LINE = "\r\u001b[K"

/** Where waiting is told: stderr, unless a test says otherwise. */
export interface WaitingTerminal {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string) => unknown
}

/** One line below those of the log, until the Scope closes. */
const onOneLine = Effect.fnUntraced(function* (terminal: WaitingTerminal, words: Effect.Effect<string>) {
  let shown = ""
  yield* Effect.addFinalizer(() => Effect.sync(() => terminal.write(CLEAR_LINE)))
  yield* writeLogsThrough((write) => {
    terminal.write(CLEAR_LINE)
    write()
    terminal.write(shown)
  })
  for (;;) {
    shown = clip(yield* words, questionWidth(terminal) - 1)
    terminal.write(`${CLEAR_LINE}${shown}`)
    yield* Effect.sleep(RENEWED_EVERY_MS)
  }
}, Effect.scoped)

/** Runs `effect`; `words` say what it waits for, and nothing while they are empty. */
export const tellingWait = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  words: Effect.Effect<string>,
  terminal: WaitingTerminal = process.stderr
) {
  const began = yield* Clock.currentTimeMillis
  const timed = Effect.gen(function* () {
    const seconds = Math.floor(((yield* Clock.currentTimeMillis) - began) / 1000)
    const what = yield* words
    return what === "" ? "" : `${what} (${seconds} s)`
  })
  const once = Effect.flatMap(words, (what) => (what === "" ? Effect.void : complain(what)))
  const tell = terminal.isTTY === true ? onOneLine(terminal, timed) : once
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(TOLD_AFTER_MS), tell))
  return yield* effect
}, Effect.scoped)

/** The servers that are on their way up, in words; empty when there are none. */
export const connecting = ({ status }: McpRuntimeShape): Effect.Effect<string> =>
  Effect.map(status, (servers) => {
    const names = Object.entries(servers).flatMap(([name, { state }]) => (state === "Connecting" ? [name] : []))
    return names.length === 0 ? "" : `Waiting for ${names.join(", ")}`
  })
