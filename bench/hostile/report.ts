/** The table for the terminal, as JSON in `results/` and as Markdown in docs/hostile.md. */
import { mkdirSync, writeFileSync } from "node:fs"
import { writeFigures } from "../lib/page.ts"
import { WORDS } from "./classify.ts"
import { countsOf, NAMES, shortcomings, shownCell, type Report, type Row } from "./table.ts"

const SUBJECT = "mcp-live"

/** Of the catalogue of hazards. */
const CLASSES: Readonly<Record<string, string>> = {
  SAN: "Texts that want to be taken for something else",
  SIZE: "Too much, too deep, too slow",
  RPC: "JSON-RPC and framing",
  PROC: "Processes",
  TOOL: "Lists of tools",
  SCH: "Schemas",
  RES: "Resources",
  HTTP: "HTTP",
  SEC: "Secrets"
}

const labelOf = ({ title, transport }: Row) => `${title}, ${transport}`

export const lineOf = (row: Row, clients: Report["clients"]): string =>
  `${labelOf(row)}: ${clients.map((client) => `${NAMES[client]} ${shownCell(row.cells[client], true).join(" | ")}`).join("  //  ")}`

export const asText = ({ clients, rows }: Report): string => {
  const counts = countsOf(rows, clients)
  const width = Math.max(...counts.map(([what]) => what.length))
  const table = counts.map(([what, figures]) => [what.padEnd(width), ...figures.map((n) => String(n).padStart(9))])
  const short = shortcomings(rows, SUBJECT).map(([row, reasons]) => `  ${labelOf(row)}: ${reasons.join("; ")}`)
  return [
    `${" ".repeat(width)}  ${clients.map((client) => NAMES[client].padStart(9)).join("  ")}`,
    ...table.map((cells) => cells.join("  ")),
    "",
    `Where mcp-live falls short: ${short.length === 0 ? "nowhere" : ""}`,
    ...short,
    ""
  ].join("\n")
}

/** What a server wrote stands in some cells: it is text there, and nothing else. */
export const escaped = (cell: string): string =>
  cell
    .replace(/[^\x20-\x7e–…]/gu, "?")
    .replaceAll("\\", "\\\\")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/[|`*_[\]]/g, "\\$&")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>, numbers = false): string =>
  [head, head.map((_, i) => (numbers && i > 0 ? "---:" : "---")), ...rows]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n")

const cell = (lines: ReadonlyArray<string>): string => {
  const [word = "", ...rest] = lines.map(escaped)
  return [word === word.toUpperCase() && word !== "–" ? `**${word}**` : word, ...rest].join("<br>")
}

const section = (name: string, rows: ReadonlyArray<Row>, clients: Report["clients"]): string =>
  [
    `### ${name}: ${CLASSES[name] ?? "others"}`,
    table(
      ["scenario", "over", "best possible", ...clients.map((client) => NAMES[client])],
      rows.map(({ about, best, cells, title, transport }, index) => [
        // One text stands for all arguments of a scenario.
        `**${escaped(title)}**${about === rows[index - 1]?.about ? "" : `<br>${escaped(about)}`}`,
        transport,
        best.join(" or "),
        ...clients.map((client) => cell(shownCell(cells[client])))
      ])
    )
  ].join("\n\n")

export const asMarkdown = (report: Report): string => {
  const { clients, deadlineMs, idle, leftAfterMs, minutes, rows, timeoutMs, where } = report
  const packages = ["@modelcontextprotocol/sdk", "@modelcontextprotocol/client"]
  const classes = [...new Set(rows.map((row) => row.class))]
  const short = shortcomings(rows, SUBJECT)
  return [
    `Measured with \`npm run bench:hostile\` on ${where.date} in ${Math.round(minutes)} minutes: Node ${where.node}, ${where.platform}, ` +
      `${where.cores} cores of ${where.cpu}, ${where.memoryGiB} GiB, load average before the run ${where.load}; ` +
      `${packages.map((name) => `${name} ${where.packages[name]}`).join(", ")}. ` +
      `Every request and every connection attempt was allowed ${timeoutMs / 1000} s, every trial ${deadlineMs / 1000} s, ` +
      `processes were counted at the latest ${leftAfterMs / 1000} s after the client was closed.`,
    "### Counts",
    table(
      [`${rows.length} trials each`, ...clients.map((client) => NAMES[client])],
      countsOf(rows, clients).map(([what, figures]) => [what, ...figures.map(String)]),
      true
    ),
    "Memory of a client that talks to a polite server, its peak in MiB; what stands with a sign in the tables is over this:",
    table(
      ["over", ...clients.map((client) => NAMES[client])],
      idle.map(({ peakMiB, transport }) => [transport, ...clients.map((client) => `${peakMiB[client] ?? "–"}`)]),
      true
    ),
    "### Where mcp-live falls short",
    short.length === 0
      ? "In no row of this run."
      : short.map(([row, reasons]) => `- ${escaped(labelOf(row))}: ${reasons.map(escaped).join("; ")}`).join("\n"),
    ...classes.map((name) =>
      section(
        name,
        rows.filter((row) => row.class === name),
        clients
      )
    )
  ].join("\n\n")
}

/** The words with what they mean, from the best to the worst. */
export const legend = (): string =>
  Object.entries(WORDS)
    .toReversed()
    .map(([word, meaning]) => `- \`${word}\`: ${meaning}`)
    .join("\n")

const RESULTS = new URL("../results/", import.meta.url)

/** A row a line, for differences to be read. */
export const asJson = ({ rows, ...report }: Report): string =>
  `{\n"report": ${JSON.stringify(report)},\n"rows": [\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n}\n`

export const write = (report: Report): void => {
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(new URL("hostile.json", RESULTS), asJson(report))
  writeFigures("hostile.md", "npm run bench:hostile", { words: legend(), table: asMarkdown(report) })
}
