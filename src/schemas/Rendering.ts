/** Tools, results and server states as plain text for people: in a terminal, an editor or a chat. No colours. */
import type { ServerStatus } from "./ServerState.ts"
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

export const renderStatus = (servers: StatusMap): string => {
  const entries = Object.entries(servers)
  if (entries.length === 0) return "No MCP servers are configured."
  return table([
    ["SERVER", "TRANSPORT", "PROTOCOL", "STATE", "TOOLS", "RESOURCES", "CONNECT"],
    ...entries.map(([name, server]) => [
      name,
      server.transport,
      server.protocolVersion ?? "-",
      server.state,
      String(server.tools),
      String(server.resources),
      server.connectMs === null ? "-" : `${Math.round(server.connectMs)} ms`
    ])
  ])
}

/** One line per server that cannot be used now, with the reason. */
export const renderFailures = (servers: StatusMap): ReadonlyArray<string> =>
  Object.entries(servers).flatMap(([name, server]) =>
    (server.state === "Failed" || server.state === "Backoff") && server.lastError !== null
      ? [`${name}: ${server.lastError}`]
      : []
  )

const longest = (cells: ReadonlyArray<string>) => Math.max(...cells.map(width))

/** One line per tool; `columns` is the width of the terminal. */
export const renderTools = (tools: ReadonlyArray<AgentTool>, columns: number): string => {
  if (tools.length === 0) return "No tools."
  const used = longest(["TOOL", ...tools.map((tool) => tool.name)]) + longest(["SERVER", ...tools.map((t) => t.server)])
  // Two gaps of two blanks; on a very narrow terminal the description wraps rather than vanishes.
  const room = Math.max(columns - used - 4, 24)
  return table([
    ["TOOL", "SERVER", "DESCRIPTION"],
    ...tools.map((tool) => [tool.name, tool.server, clip(tool.description, room)])
  ])
}
