/**
 * All output of the program. stdout carries results only: with `--json` exactly one document. Everything else, including a
 * stray `console.log` of a library, goes to stderr.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { Console } from "node:console"
import { ruled } from "../../schemas/content/Boundaries.ts"
import { renderContent, renderFailures, renderStatus, type StatusMap } from "../../schemas/content/Rendering.ts"
import type { Content } from "../../schemas/call/Tool.ts"
import { formatJson, formatLog, wantsJson } from "./logFormat.ts"
import { masked, maskedBy, Redactors } from "./masking.ts"
import { visible } from "./visible.ts"

export { visible }

/** The width of a character in terminal cells; an approximation that keeps lines within the terminal. */
export const cells = (char: string): number => ((char.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2)

const BAR = "  │ "
/** A terminal that claims to be narrower is not believed. */
const NARROWEST = 20

/**
 * Shows text from elsewhere with a bar before every row, including rows that the terminal would wrap, so that nothing in it
 * can pass for a line of ours.
 */
export const quoted = (text: string, width: number): string => {
  const room = Math.max(width, NARROWEST) - BAR.length - 1
  return visible(text)
    .split("\n")
    .flatMap((line) => {
      const rows = [""]
      let used = 0
      for (const char of line.replaceAll("\t", "  ")) {
        if (used + cells(char) > room) {
          rows.push("")
          used = 0
        }
        rows[rows.length - 1] += char
        used += cells(char)
      }
      return rows.map((row) => `${BAR}${row}`.trimEnd())
    })
    .join("\n")
}

/** For Effect's own output (help, completions): the real stdout. */
export const realConsole = new Console({ stdout: process.stdout, stderr: process.stderr })

/** Sends the output of libraries to stderr. A reader that closed the pipe (`| head`) is not an error. */
export const guardStdout = () => {
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr })
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

/** Returns when the stream has taken the text, so that an exit right after it cannot cut it. */
const write = (stream: NodeJS.WritableStream, text: string | Uint8Array) =>
  Effect.callback<void>((resume) => {
    stream.write(text, () => resume(Effect.void))
  })

export const print = (text: string): Effect.Effect<void> =>
  write(process.stdout, text.endsWith("\n") ? text : `${text}\n`)

/** Content of a server: between two lines for a person, else between boundaries as for a model. */
export const printContent = (content: ReadonlyArray<Content>): Effect.Effect<void> =>
  print(
    renderContent(
      process.stdout.isTTY
        ? content.map((block) => (block.type === "text" ? { ...block, text: ruled(block.text) } : block))
        : content
    )
  )

export const printBytes = (bytes: Uint8Array): Effect.Effect<void> => write(process.stdout, bytes)

export const printJson = (document: unknown): Effect.Effect<void> => print(JSON.stringify(document, null, 2))

/** One of several documents, each on its own line. */
export const printJsonLine = (document: unknown): Effect.Effect<void> => print(JSON.stringify(document))

/** One or more lines on stderr, each with our name before it. */
export const complain = (text: string): Effect.Effect<void> =>
  Effect.flatMap(masked(text), (safe) =>
    write(
      process.stderr,
      safe
        .split("\n")
        .map((line) => `mcp-live: ${line}\n`)
        .join("")
    )
  )

/** Some terminals report a width of 0. */
export const columns = (): number => process.stdout.columns || 120

/** The same for a terminal that asks questions: when in doubt, assume that it is narrow. */
export const questionWidth = ({ columns: told }: { readonly columns?: number | undefined }): number => told || 80

export const usesColour = (stream: { readonly isTTY?: boolean }): boolean =>
  stream.isTTY === true && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb"

/** A table of the servers, followed by the reasons of failures, unless these are shown otherwise. */
export const printStatus = (servers: StatusMap, withReasons = true): Effect.Effect<void> => {
  const look = { columns: columns(), colour: usesColour(process.stdout) }
  return print([renderStatus(servers, look), ...(withReasons ? renderFailures(servers) : [])].join("\n"))
}

type Around = (write: () => void) => void

interface TerminalState {
  /** Who makes room for what is written; the last one decides. */
  readonly wrappers: Array<(write: () => void, others: Around) => void>
  /** How many questions a person is being asked. */
  questions: number
}

/** What is shown on the terminal. A process has one terminal, so it has one of these. */
export class Terminal extends Context.Reference<TerminalState>("mcp-live/cli/Terminal", {
  defaultValue: () => ({ wrappers: [], questions: 0 })
}) {}

/** Makes room for what is written while something is shown on the terminal. */
const between = ({ wrappers }: Pick<TerminalState, "wrappers">, write: () => void): void => {
  const wrapper = wrappers.at(-1)
  if (wrapper === undefined) return write()
  wrapper(write, (inner) => between({ wrappers: wrappers.slice(0, -1) }, inner))
}

/**
 * While a prompt or a line of progress is shown, what else is written goes through `wrapper`, for as long as the Scope is open. It may
 * leave that to the others that do the same.
 */
export const writeLogsThrough = Effect.fnUntraced(function* (wrapper: (write: () => void, others: Around) => void) {
  const { wrappers } = yield* Terminal
  yield* Effect.acquireRelease(
    Effect.sync(() => void wrappers.push(wrapper)),
    () => Effect.sync(() => void wrappers.splice(wrappers.indexOf(wrapper), 1))
  )
})

/** A person is asked something until the Scope closes: a line of progress goes away, and none is shown meanwhile. */
export const askingPerson = Effect.gen(function* () {
  const terminal = yield* Terminal
  yield* Effect.acquireRelease(
    Effect.sync(() => between(terminal, () => void (terminal.questions += 1))),
    () => Effect.sync(() => void (terminal.questions -= 1))
  )
})

/** Writes text to stdout; what is shown on the terminal makes room for it. */
export const writeBetween: Effect.Effect<(text: string) => void> = Effect.map(
  Terminal,
  (terminal) => (text) => between(terminal, () => void process.stdout.write(text))
)

export const loggerLayer = Layer.mergeAll(
  Logger.layer([
    Logger.make((options) => {
      const redactors = options.fiber.getRef(Redactors)
      const line = wantsJson(options)
        ? formatJson(options, (text) => maskedBy(redactors, text))
        : maskedBy(redactors, formatLog(options))
      between(options.fiber.getRef(Terminal), () => void process.stderr.write(line))
    })
  ]),
  Layer.succeed(Logger.LogToStderr, true)
)
