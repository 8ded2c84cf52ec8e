/** Tools, resources, prompts, results and server states as plain text for people: in a terminal, an editor or a chat. No colours. */
import { SHOWN_URI_MAX_CHARS } from "./defaults/Texts.ts"
import type { AgentPrompt } from "./Prompt.ts"
import type { AgentResource, AgentResourceTemplate } from "./Resource.ts"
import { circuitInWords, type ServerStatus } from "./ServerState.ts"
import type { AgentTool, Content } from "./Tool.ts"

export type StatusMap = Readonly<Record<string, ServerStatus>>

/** Aligned columns, two blanks apart; the first row is the heading. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths: Array<number> = []
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, width(cell))
  return rows
    .map((row) => row.map((cell, i) => cell + " ".repeat(widths[i]! - width(cell))).join("  "))
    .map((line) => line.trimEnd())
    .join("\n")
}

/** Good enough for columns: code points, not cells. */
const width = (text: string) => Array.from(text).length

/** At most `max` characters on one line; what is cut is marked. */
export const clip = (text: string, max: number): string => {
  const line = text.replace(/\s+/g, " ").trim()
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

/** Text as it is; an image as one line with its type and size. */
export const renderContent = (content: ReadonlyArray<Content>): string =>
  content
    .map((block) =>
      block.type === "text"
        ? block.text
        : `[${block.mimeType}, ${formatBytes(Math.floor((block.data.length * 3) / 4))}]`
    )
    .join("\n")

/** Shown once there is something to count. */
const RARE_COLUMNS: ReadonlyArray<readonly [heading: string, count: (server: ServerStatus) => number]> = [
  ["WITHHELD", ({ withheld = 0 }) => withheld],
  ["DENIED", ({ denied = 0 }) => denied],
  ["RESTARTS", ({ restarts }) => restarts]
]

export const renderStatus = (servers: StatusMap): string => {
  const entries = Object.entries(servers)
  if (entries.length === 0) return "No MCP servers are configured."
  const rare = RARE_COLUMNS.filter(([, count]) => entries.some(([, server]) => count(server) > 0))
  return table([
    ["SERVER", "TRANSPORT", "PROTOCOL", "STATE", "TOOLS", "RESOURCES", "CONNECT", ...rare.map(([heading]) => heading)],
    ...entries.map(([name, server]) => [
      name,
      server.transport,
      server.protocolVersion ?? "-",
      server.state,
      String(server.tools),
      String(server.resources),
      server.connectMs === null ? "-" : `${Math.round(server.connectMs)} ms`,
      ...rare.map(([, count]) => String(count(server)))
    ])
  ])
}

/** One line per server that cannot be used now, with the reason. */
export const renderFailures = (servers: StatusMap): ReadonlyArray<string> =>
  Object.entries(servers).flatMap(([name, { circuit, lastError, retryInMs, state }]) => {
    const isDown = state === "Failed" || state === "Backoff"
    if (isDown && lastError !== null) return [`${name}: ${lastError}${againIn(retryInMs)}`]
    return circuit === undefined ? [] : [`${name}: ${circuitInWords(circuit)}`]
  })

const againIn = (ms: number | undefined): string =>
  ms === undefined ? "" : ms > 0 ? `; it is started again in ${Math.ceil(ms / 1000)} s` : "; it is being started again"

const longest = (cells: ReadonlyArray<string>) => cells.reduce((most, cell) => Math.max(most, width(cell)), 0)

/** A table whose last column takes the room that is left of `columns`, the width of the terminal. */
const listing = (rows: ReadonlyArray<ReadonlyArray<string>>, columns: number): string => {
  const [heading = []] = rows
  const last = heading.length - 1
  // Each column before the last one, and its gap of two blanks.
  const used = heading.slice(0, last).reduce((sum, _, i) => sum + longest(rows.map((row) => row[i] ?? "")) + 2, 0)
  // On a very narrow terminal the last column wraps rather than vanishes.
  const room = Math.max(columns - used, 24)
  return table(rows.map((row) => row.map((cell, i) => (i === last ? clip(cell, room) : cell))))
}

/** One line per tool. */
export const renderTools = (tools: ReadonlyArray<AgentTool>, columns: number): string =>
  tools.length === 0
    ? "No tools."
    : listing(
        [["TOOL", "SERVER", "DESCRIPTION"], ...tools.map((tool) => [tool.name, tool.server, tool.description])],
        columns
      )

/** URIs are kept as their server wrote them: what could move a cursor, or hide, is not shown. */
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

/** One line per prompt; arguments that may be left out stand in brackets. */
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

/** The messages of a prompt, an empty line apart. */
export const renderMessages = (messages: ReadonlyArray<{ readonly content: ReadonlyArray<Content> }>): string =>
  messages.map(({ content }) => renderContent(content)).join("\n\n")
