/**
 * What a command waits for, told on stderr once that takes longer than a second: on a terminal on one line that is rewritten
 * and goes when the wait is over, elsewhere line by line.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { clip, type StatusMap } from "../../../schemas/content/Rendering.ts"
import { questionWidth, writeLogsThrough } from "../output.ts"

const TOLD_AFTER_MS = 1_000
const RENEWED_EVERY_MS = 500
const TOLD_EVERY_MS = 5_000
/** Of those that are waited for; of more, how many they are. */
const NAMES_MAX = 10
const CLEAR_LINE = "\r\u001b[K"

/** Where waiting is told: stderr, unless a test says otherwise. */
export interface WaitingTerminal {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string) => unknown
}

/** One line below those of the log, until the Scope closes. Whatever else is written takes its place for a moment. */
const onOneLine = Effect.fnUntraced(function* (terminal: WaitingTerminal, words: Effect.Effect<string>) {
  let shown = ""
  const show = (next: string) => {
    if (next !== "" || shown !== "") terminal.write(`${CLEAR_LINE}${next}`)
    shown = next
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => show("")))
  yield* writeLogsThrough((write) => {
    show("")
    write()
  })
  for (;;) {
    show(clip(yield* words, questionWidth(terminal) - 1))
    yield* Effect.sleep(RENEWED_EVERY_MS)
  }
}, Effect.scoped)

/** A line of its own whenever there is something else to say, but not too often. */
const lineByLine = Effect.fnUntraced(function* (terminal: WaitingTerminal, words: Effect.Effect<string>) {
  let told = ""
  for (;;) {
    const next = yield* words
    if (next !== "" && next !== told) {
      told = next
      terminal.write(`mcp-live: ${next}\n`)
    }
    yield* Effect.sleep(TOLD_EVERY_MS)
  }
})

/** Runs `effect`; `words` say what it waits for, and nothing while they are empty. They have the time behind them. */
export const tellingWait = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  words: Effect.Effect<string>,
  terminal: WaitingTerminal = process.stderr
) {
  let since = yield* Clock.currentTimeMillis
  const timed = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const what = yield* words
    if (what === "") since = now
    return what === "" ? "" : `${what} (${Math.floor((now - since) / 1000)} s)`
  })
  const tell = terminal.isTTY === true ? onOneLine(terminal, timed) : lineByLine(terminal, words)
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(TOLD_AFTER_MS), tell))
  return yield* effect
}, Effect.scoped)

/** The servers that are on their way up. */
export const connectingIn = (servers: StatusMap): ReadonlyArray<string> =>
  Object.entries(servers).flatMap(([name, { state }]) => (state === "Connecting" ? [name] : []))

/** In words; empty when there are none. */
export const connectingWords = (servers: StatusMap): string => {
  const names = connectingIn(servers)
  const more = names.length - NAMES_MAX
  return more > 0 ? `${names.slice(0, NAMES_MAX).join(", ")} and ${more} more` : names.join(", ")
}

/** What a command waits for. */
export const connecting = ({ status }: Pick<McpRuntimeShape, "status">): Effect.Effect<string> =>
  Effect.map(status, (servers) => {
    const all = connectingWords(servers)
    return all === "" ? "" : `Waiting for ${all}`
  })

/** How far a start is. Servers that are switched off, or that nobody has needed yet, are none of those that are started. */
export const progress = ({ status }: Pick<McpRuntimeShape, "status">): Effect.Effect<string> =>
  Effect.map(status, (servers) => {
    const started = Object.values(servers).filter(({ state }) => state !== "Disabled" && state !== "Idle")
    const ready = started.filter(({ state }) => state === "Ready").length
    const late = connectingWords(servers)
    return late === "" ? "" : `${ready} of ${started.length} MCP servers ready. Waiting for ${late}`
  })
