/** Renders tools, resources, prompts, results and server states as text for people: in a terminal, an editor or a chat. */
import { SHOWN_URI_MAX_CHARS } from "../defaults/Texts.ts"
import { inOneLine } from "../data/Whitespace.ts"
import type { AgentPrompt } from "./Prompt.ts"
import type { AgentResource, AgentResourceTemplate } from "./Resource.ts"
import { FOR_PERSONS_ONLY } from "../connection/PersonPlaceholder.ts"
import { circuitInWords, faultOf, relistInWords, stateWords, type ServerStatus } from "../connection/ServerState.ts"
import { originMark, type AgentTool, type Content } from "../call/Tool.ts"

export type StatusMap = Readonly<Record<string, ServerStatus>>

type Row = ReadonlyArray<string>

const GAP = "  "

/** The width of each column: that of its longest cell. */
const widthsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<number> => {
  const widths: Array<number> = []
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell))
  return widths
}

/** Aligned columns, two blanks apart; the first row is the heading. `paint` colors a cell. */
export const table = (rows: ReadonlyArray<Row>, paint: (cell: string) => string = (cell) => cell): string => {
  const widths = widthsOf(rows)
  return rows
    .map((row) =>
      row
        .map((cell, i) => paint(cell) + (i === row.length - 1 ? "" : " ".repeat(widths[i]! - width(cell))))
        .join(GAP)
        .trimEnd()
    )
    .join("\n")
}

const tableWidth = (rows: ReadonlyArray<Row>): number => {
  const widths = widthsOf(rows)
  return total(widths) + GAP.length * Math.max(widths.length - 1, 0)
}

/** Good enough for columns: counts code points, not cells. */
const width = (text: string) => Array.from(text).length

/** At most `max` characters on one line; a cut is marked. */
export const clip = (text: string, max: number): string => {
  const line = inOneLine(text).trim()
  return width(line) <= max
    ? line
    : `${Array.from(line)
        .slice(0, Math.max(0, max - 1))
        .join("")}…`
}

export const formatBytes = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${Math.round(bytes / 1024)} KB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** Text unchanged; an image as one line with its type and size. */
export const renderContent = (content: ReadonlyArray<Content>): string =>
  content
    .map((block) =>
      block.type === "text"
        ? block.text
        : `[${block.mimeType}, ${formatBytes(Math.floor((block.data.length * 3) / 4))}]`
    )
    .join("\n")

/** Shown only when there is something to count. */
const RARE_COLUMNS: ReadonlyArray<readonly [heading: string, count: (server: ServerStatus) => number]> = [
  ["WITHHELD", ({ withheld = 0 }) => withheld],
  ["DENIED", ({ denied = 0 }) => denied],
  ["RESTARTS", ({ restarts }) => restarts]
]

/** Terminal colors: green works, yellow may work soon, red does not work, dim is inactive. */
const STATE_COLOURS: Readonly<Record<string, string>> = {
  Ready: "32",
  Connecting: "33",
  Backoff: "33",
  Failed: "31",
  "waits for login": "33",
  "per person": "2",
  Idle: "2",
  Disabled: "2",
  Closed: "2"
}

const painted = (cell: string): string => {
  const colour = Object.hasOwn(STATE_COLOURS, cell) ? STATE_COLOURS[cell] : undefined
  return colour === undefined ? cell : `\u001b[${colour}m${cell}\u001b[0m`
}

/** The columns to drop on a narrow terminal, in this order. */
const LESS_NEEDED = ["CONNECT", "PROTOCOL", "TRANSPORT", "RESOURCES"]

export interface StatusLook {
  /** The width of the terminal; without it every column is shown. */
  readonly columns?: number | undefined
  readonly colour?: boolean | undefined
}

/** One line per server; on a narrow terminal the least important columns are dropped. */
export const renderStatus = (servers: StatusMap, { colour = false, columns }: StatusLook = {}): string => {
  const entries = Object.entries(servers)
  if (entries.length === 0) return "No MCP servers are configured."
  const rare = RARE_COLUMNS.filter(([, count]) => entries.some(([, server]) => count(server) > 0))
  const rows: ReadonlyArray<Row> = [
    ["SERVER", "TRANSPORT", "PROTOCOL", "STATE", "TOOLS", "RESOURCES", "CONNECT", ...rare.map(([heading]) => heading)],
    ...entries.map(([name, server]) => [
      name,
      server.transport,
      server.protocolVersion ?? "-",
      stateWords(server),
      String(server.tools),
      String(server.resources),
      server.connectMs === null ? "-" : `${Math.round(server.connectMs)} ms`,
      ...rare.map(([, count]) => String(count(server)))
    ])
  ]
  return table(fitting(rows, columns, LESS_NEEDED), colour ? painted : undefined)
}

/**
 * Drops the least important columns while the table is too wide, then cuts the cells of the widest columns; those of `whole` last.
 */
export const fitting = (
  rows: ReadonlyArray<Row>,
  columns: number | undefined,
  lessNeeded: ReadonlyArray<string>,
  whole: ReadonlyArray<string> = []
): ReadonlyArray<Row> => {
  const [first, ...others] = lessNeeded
  if (columns === undefined || tableWidth(rows) <= columns) return rows
  if (first === undefined) return cut(rows, columns, whole)
  const left = rows[0]?.indexOf(first) ?? -1
  return fitting(
    rows.map((row) => row.filter((_, i) => i !== left)),
    columns,
    others,
    whole
  )
}

/** Of a cell that is cut, at least so much stays. */
const CELL_MIN = 4

const cut = (rows: ReadonlyArray<Row>, columns: number, whole: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const widths = [...widthsOf(rows)]
  const gaps = GAP.length * (widths.length - 1)
  const isWhole = widths.map((_, i) => whole.includes(rows[0]?.[i] ?? ""))
  const shrink = (may: (column: number) => boolean) => {
    while (total(widths) + gaps > columns) {
      const widest = widths.reduce((best, one, i) => (may(i) && one > (widths[best] ?? CELL_MIN) ? i : best), -1)
      if (widest === -1) return
      widths[widest]!--
    }
  }
  shrink((i) => !isWhole[i])
  shrink(() => true)
  return rows.map((row) => row.map((cell, i) => (width(cell) <= widths[i]! ? cell : clip(cell, widths[i]!))))
}

const total = (widths: ReadonlyArray<number>) => widths.reduce((sum, one) => sum + one, 0)

/** One line per server that cannot be used now, or whose lists are out of date or cut, with the reason. */
export const renderFailures = (servers: StatusMap): ReadonlyArray<string> =>
  Object.entries(servers).flatMap(([name, { circuit, lastError, relistMs, retryInMs, state, tooLarge, waits }]) => {
    if (waits === "person") return [`${name}: ${FOR_PERSONS_ONLY}`]
    const isDown = state === "Failed" || state === "Backoff"
    if (isDown && lastError !== null) return [againIn(`${name}: ${faultOf(name, lastError)}`, retryInMs)]
    return [
      ...(circuit === undefined ? [] : [`${name}: ${circuitInWords(circuit)}`]),
      ...(relistMs === undefined ? [] : [`${name}: ${relistInWords(relistMs)}`]),
      ...(tooLarge === undefined ? [] : [`${name}: ${tooLarge}`])
    ]
  })

/** A server whose row in an earlier table is no longer true. */
export const renderArrival = (name: string, server: ServerStatus): string => {
  const { connectMs, protocolVersion, state, tools, transport } = server
  if (state !== "Ready") return renderFailures({ [name]: server })[0] ?? `${name}: ${state}`
  const about = [transport, protocolVersion, connectMs === null ? null : `${Math.round(connectMs)} ms`]
  return `${name}: Ready, ${tools} ${tools === 1 ? "tool" : "tools"} (${about.filter((part) => part !== null).join(", ")})`
}

/** The reason, and when the server is tried again. */
const againIn = (why: string, ms: number | undefined): string => {
  if (ms === undefined) return why
  const again = ms > 0 ? `t is tried again in ${Math.ceil(ms / 1000)} s` : "t is being tried again"
  return /[.?!]$/.test(why) ? `${why} I${again}` : `${why}; i${again}`
}

/** The minimum width of the last column. */
const LAST_COLUMN_MIN = 30
const STACKED_INDENT = 4

/**
 * A table whose last column fills the rest of `columns`, the width of the terminal. If that is too narrow, it goes below the
 * others.
 */
export const listing = (rows: ReadonlyArray<Row>, columns: number): string => {
  const [heading = []] = rows
  const last = heading.length - 1
  const before = rows.map((row) => row.slice(0, last))
  const room = columns - tableWidth(before) - GAP.length
  const fits = rows.every((row) => width(clip(row[last] ?? "", columns)) <= room)
  if (fits || room >= LAST_COLUMN_MIN) return table(rows.map((row, i) => [...before[i]!, clip(row[last] ?? "", room)]))
  const lines = table(before).split("\n")
  const below = (row: Row) => `${" ".repeat(STACKED_INDENT)}${clip(row[last] ?? "", columns - STACKED_INDENT)}`
  return rows.flatMap((row, i) => (row[last] === "" ? [lines[i]!] : [lines[i]!, below(row)])).join("\n")
}

/** One line per tool. */
export const renderTools = (tools: ReadonlyArray<AgentTool>, columns: number): string =>
  tools.length === 0
    ? "No tools."
    : listing(
        [
          ["TOOL", "SERVER", "DESCRIPTION"],
          // The server has its own column.
          ...tools.map(({ description, name, server }) => [name, server, description.replace(originMark(server), "")])
        ],
        columns
      )

/** The server's own URIs: characters that move the cursor or are invisible are replaced. */
const shownUri = (uri: string): string => clip(uri.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd"), SHOWN_URI_MAX_CHARS)

const about = ({ description, name, title }: Pick<AgentResource, "description" | "name" | "title">): string =>
  [title ?? name, description].filter((text) => text !== "").join(": ")

/** One line per resource. */
export const renderResources = (resources: ReadonlyArray<AgentResource>, columns: number): string =>
  resources.length === 0
    ? "No resources."
    : listing(
        [
          ["URI", "SERVER", "TYPE", "DESCRIPTION"],
          ...resources.map((one) => [shownUri(one.uri), one.server, one.mimeType ?? "-", about(one)])
        ],
        columns
      )

/** One line per template. */
export const renderTemplates = (templates: ReadonlyArray<AgentResourceTemplate>, columns: number): string =>
  templates.length === 0
    ? "No resource templates."
    : listing(
        [
          ["TEMPLATE", "SERVER", "TYPE", "DESCRIPTION"],
          ...templates.map((one) => [shownUri(one.uriTemplate), one.server, one.mimeType ?? "-", about(one)])
        ],
        columns
      )

/** One line per prompt; optional arguments are in brackets. */
export const renderPrompts = (prompts: ReadonlyArray<AgentPrompt>, columns: number): string =>
  prompts.length === 0
    ? "No prompts."
    : listing(
        [
          ["PROMPT", "SERVER", "ARGUMENTS", "DESCRIPTION"],
          ...prompts.map((prompt) => [
            prompt.name,
            prompt.server,
            prompt.arguments.map(({ name, required }) => (required ? name : `[${name}]`)).join(" ") || "-",
            prompt.description === "" ? (prompt.title ?? "") : prompt.description
          ])
        ],
        columns
      )

/** The messages of a prompt, separated by empty lines. */
export const renderMessages = (messages: ReadonlyArray<{ readonly content: ReadonlyArray<Content> }>): string =>
  messages.map(({ content }) => renderContent(content)).join("\n\n")
