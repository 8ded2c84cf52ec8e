/**
 * Shows definitions and their differences on a terminal: text from servers stands behind a bar, with invisible characters
 * made visible.
 */
import type { Difference } from "./definitionDiff.ts"
import { diffCommand, statusOf, type ServerPins, type ToolPin } from "../../../schemas/call/Pins.ts"
import { fitting, table, type StatusMap } from "../../../schemas/content/Rendering.ts"
import { spelled, spelledName } from "../../../schemas/content/SpelledText.ts"
import type { Piece } from "../../../schemas/content/WordDiff.ts"
import { cells } from "../output.ts"

const SHORT_HASH = 12
const BAR = "  │ "
const COLOURS = { same: "", removed: "\u001b[31m", added: "\u001b[32m" } as const
const PLAIN = "\u001b[39m"
const MARKS = { same: ["", ""], removed: ["[-", "-]"], added: ["{+", "+}"] } as const

export const shortHash = (hash: string | undefined): string => hash?.slice(0, SHORT_HASH) ?? "-"

/** To the minute; `-` for a number that is not a time. */
export const dateOf = (ms: number | undefined): string => {
  const date = new Date(ms ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? "-" : `${date.toISOString().slice(0, 16).replace("T", " ")}Z`
}

/** ISO time, as in the log and the audit log; for programs. */
export const isoOf = (ms: number | undefined): string | null => {
  const date = new Date(ms ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** What the operator should know in addition to the status. */
export const noteOf = ({ approved, renamedFrom, shadows }: ToolPin, isOlder = false): string =>
  [
    ...(isOlder ? ["an older way to start it"] : []),
    ...(approved?.launch === undefined ? [] : ["approved for another way to start it"]),
    ...(renamedFrom === undefined ? [] : [`formerly ${spelledName(renamedFrom)}`]),
    ...(shadows === undefined ? [] : [`has the name of ${spelledName(shadows)}`])
  ].join("; ")

/** Tells servers with the same name apart. */
export const serverNames = (all: ReadonlyArray<ServerPins>): ((pins: ServerPins) => string) => {
  const counts = new Map<string, number>()
  for (const { server } of all) counts.set(server, (counts.get(server) ?? 0) + 1)
  const started = new Set<string>()
  const twice = new Set<string>()
  for (const { launch, server } of all)
    (started.has(`${launch} ${server}`) ? twice : started).add(`${launch} ${server}`)
  return ({ configuration, launch, server }) => {
    if ((counts.get(server) ?? 0) < 2) return spelledName(server)
    const of = twice.has(`${launch} ${server}`) && configuration !== undefined ? `, ${configuration.slice(0, 8)}` : ""
    return `${spelledName(server)} (${launch.slice(0, 8)}${of})`
  }
}

/** On a narrow terminal the hash is left out first: `diff` shows it, too. */
export const renderList = (
  all: ReadonlyArray<ServerPins>,
  older: ReadonlySet<ServerPins>,
  columns?: number
): string => {
  const nameOf = serverNames(all)
  const rows = all.flatMap((pins) =>
    [...pins.tools.values()].map((pin) => [
      nameOf(pins),
      spelledName(pin.name),
      statusOf(pin),
      dateOf(pin.approved?.at),
      shortHash((pin.pending ?? pin.approved)?.hash),
      noteOf(pin, older.has(pins))
    ])
  )
  const notes = rows.some((row) => row.at(-1) !== "") ? [] : ["NOTE"]
  const shown = [["SERVER", "TOOL", "STATUS", "APPROVED", "HASH", "NOTE"], ...rows]
  return table(fitting(shown, columns, [...notes, "HASH", "APPROVED"]))
}

/** Begins every row with a bar, including rows that the terminal would wrap. */
const renderPieces = (pieces: ReadonlyArray<Piece>, width: number, colour: boolean): string => {
  const room = Math.max(width, 20) - BAR.length - 1
  const rows: Array<string> = [BAR]
  let used = 0
  const add = (text: string) => (rows[rows.length - 1] += text)
  for (const { kind, text } of pieces) {
    const [open, close] = colour ? [COLOURS[kind], COLOURS[kind] === "" ? "" : PLAIN] : ["", ""]
    const [before, after] = MARKS[kind]
    add(open)
    for (const char of `${before}${spelled(text)}${after}`) {
      if (char === "\n" || used + cells(char) > room) {
        add(close)
        rows.push(BAR + open)
        used = 0
      }
      if (char !== "\n") {
        add(char)
        used += cells(char)
      }
    }
    add(close)
  }
  return rows.map((row) => row.trimEnd()).join("\n")
}

export interface View {
  readonly width: number
  readonly colour: boolean
}

export const renderDifferences = (differences: ReadonlyArray<Difference>, more: number, view: View): string =>
  [
    ...differences.map(
      ({ pieces, place }) => `  ${spelledName(place)}\n${renderPieces(pieces, view.width, view.colour)}`
    ),
    ...(more > 0 ? [`  … and ${more} more places`] : [])
  ].join("\n")

const tools = (count: number): string => (count === 1 ? "1 tool" : `${count} tools`)

/** What there is to review: a line for each such server. Names are those of the configuration. */
export const pinNotes = (servers: StatusMap): ReadonlyArray<string> =>
  Object.entries(servers).flatMap(([name, { unreviewed = 0, withheld = 0 }]) => {
    const look = diffCommand(name)
    const others = unreviewed - withheld
    return [
      ...(withheld > 0
        ? [`${tools(withheld)} of '${spelledName(name)}' ${withheld === 1 ? "is" : "are"} withheld: ${look}`]
        : []),
      ...(others > 0 ? [`${tools(others)} of '${spelledName(name)}' can be used, but should be reviewed: ${look}`] : [])
    ]
  })
