/**
 * Tells the person on stderr what a command waits for, once that takes longer than a second. On a terminal this is one line
 * that is rewritten and disappears at the end; elsewhere, line by line. With `--json`, and where `CI` is set, nothing is told.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { McpRuntimeShape } from "../../../services/call/McpRuntime.ts"
import { clip, type StatusMap } from "../../../schemas/content/Rendering.ts"
import { complain, questionWidth, Terminal, writeLogsThrough } from "../output.ts"
import { downloading } from "./fetching.ts"

const TOLD_AFTER_MS = 1_000
const RENEWED_EVERY_MS = 500
const TOLD_EVERY_MS = 5_000
/** At most this many names; then only how many more. */
const NAMES_MAX = 10
const CLEAR_LINE = "\r\u001b[K"

/** Where it is shown: stderr, except in tests. */
export interface WaitingTerminal {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly write: (text: string) => unknown
}

/** One line below the log, until the Scope closes. Other output takes its place for a moment, and a question for as long as it is open. */
const onOneLine = Effect.fnUntraced(function* (terminal: WaitingTerminal, words: Effect.Effect<string>) {
  const state = yield* Terminal
  let shown = ""
  const show = (next: string) => {
    if (next !== "" || shown !== "") terminal.write(`${CLEAR_LINE}${next}`)
    shown = next
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => show("")))
  yield* writeLogsThrough((write, others) => {
    if (state.questions > 0) return others(write)
    show("")
    write()
  })
  for (;;) {
    const next = clip(yield* words, questionWidth(terminal) - 1)
    if (state.questions === 0) show(next)
    yield* Effect.sleep(RENEWED_EVERY_MS)
  }
}, Effect.scoped)

/** A new line whenever there is something new to say, but not too often. */
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

/** Whether waiting is told at all. The program decides it once, from its flags and variables. */
export class TellsWaiting extends Context.Reference<boolean>("mcp-live/cli/TellsWaiting", {
  defaultValue: () => true
}) {}

/** `CI` says that nobody watches. */
export const mayTell = (args: ReadonlyArray<string>, { CI = "" }: Readonly<Record<string, string | undefined>>) =>
  !args.some((arg) => /^--json(?:=true)?$/.test(arg)) && /^(?:|0|false)$/i.test(CI)

/** Says what begins, where waiting is told. */
export const tellStep = Effect.fnUntraced(function* (words: string) {
  if (yield* TellsWaiting) yield* complain(words)
})

/** Runs `effect` and shows `words`, which say what it waits for, with the time so far; nothing while they are empty. */
export const tellingWait = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  words: Effect.Effect<string>,
  terminal: WaitingTerminal = process.stderr
) {
  if (!(yield* TellsWaiting)) return yield* effect
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

/** The servers that are starting. */
export const connectingIn = (servers: StatusMap): ReadonlyArray<string> =>
  Object.entries(servers).flatMap(([name, { state }]) => (state === "Connecting" ? [name] : []))

type Notes = (server: string) => string | undefined

/** Their names in words, with what there is to say about each; empty when there are none. */
export const connectingWords = (servers: StatusMap, notes: Notes = () => undefined): string => {
  const names = connectingIn(servers)
  const more = names.length - NAMES_MAX
  const shown = names.slice(0, NAMES_MAX).map((name) => {
    const note = notes(name)
    return note === undefined ? name : `${name} (${note})`
  })
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ")
}

/** What a command waits for. */
export const connecting = ({ status }: Pick<McpRuntimeShape, "status">): Effect.Effect<string> => {
  const notes = downloading()
  return Effect.gen(function* () {
    const all = connectingWords(yield* status, yield* notes)
    return all === "" ? "" : `Waiting for ${all}`
  })
}

/** The progress of a start. Servers that are disabled, or lazy and not needed yet, do not count. */
export const progress = ({ status }: Pick<McpRuntimeShape, "status">): Effect.Effect<string> => {
  const notes = downloading()
  return Effect.gen(function* () {
    const servers = yield* status
    const started = Object.values(servers).filter(({ state }) => state !== "Disabled" && state !== "Idle")
    const ready = started.filter(({ state }) => state === "Ready").length
    const late = connectingWords(servers, yield* notes)
    return late === "" ? "" : `${ready} of ${started.length} MCP servers ready. Waiting for ${late}`
  })
}
