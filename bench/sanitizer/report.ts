/** The score as tables: for the terminal, as JSON and Markdown in `results/`, and in the documentation. */
import { mkdirSync, writeFileSync } from "node:fs"
import type { Machine } from "../lib/machine.ts"
import { writeFigures } from "../lib/page.ts"
import { shown } from "../lib/stats.ts"
import type { Row, Score, Share, Verdict } from "./score.ts"
import type { Growth, Speed } from "./speed.ts"

export interface Report {
  readonly where: Machine
  readonly peer: string
  readonly score: Score
  /** Empty when not measured. */
  readonly speeds: ReadonlyArray<Speed>
  readonly growths: ReadonlyArray<Growth>
}

const COMMAND = "npm run bench:sanitizer"
const PLAIN = "plain ASCII"
const PLAIN_MEGABYTES_MIN = 100
/** Twice the text may take twice the time, and what a noisy machine adds. */
const GROWTH_MAX = 2.6

/** Every goal with what was measured of it. */
export const verdictsOf = ({ growths, score, speeds }: Report): ReadonlyArray<Verdict> => {
  const plain = speeds.filter(({ name }) => name.startsWith(PLAIN))
  const slowest = Math.min(...plain.map(({ ours }) => ours))
  const steepest = growths.toSorted((a, b) => b.ratio - a.ratio)[0]
  return [
    ...score.verdicts,
    ...(plain.length === 0
      ? []
      : [
          {
            goal: `at least ${PLAIN_MEGABYTES_MIN} MB/s on plain ASCII`,
            measured: `${shown(slowest)} MB/s at the slowest`,
            pass: slowest >= PLAIN_MEGABYTES_MIN
          }
        ]),
    ...(steepest === undefined
      ? []
      : [
          {
            goal: `twice the text takes about twice the time (at most ${GROWTH_MAX} times), whatever it is made of`,
            measured: `${shown(steepest.ratio)} times at the most (${steepest.name}), ${growths.length} kinds of text`,
            pass: steepest.ratio <= GROWTH_MAX
          }
        ])
  ]
}

const percent = (share: number) => `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)} %`
const counted = ({ hits, total }: Share) => `${hits} of ${total}`
const interval = ({ high, low }: Share) => `${percent(low)} – ${percent(high)}`

type Table = ReadonlyArray<ReadonlyArray<string>>

const shares = (what: string, peer: string, rows: ReadonlyArray<Row>): Table => [
  [what, "mcp-live", "95 % interval", "held out", peer],
  ...rows.map(({ heldOut, name, ours, theirs }) => [
    name,
    counted(ours),
    interval(ours),
    heldOut === undefined ? "–" : counted(heldOut),
    counted(theirs)
  ])
]

const megabytes = (peer: string, speeds: ReadonlyArray<Speed>): Table => [
  ["megabytes a second, of 1 MB of", "mcp-live", peer, "their time in ours"],
  ...speeds.map(({ name, ours, ratio, theirs }) => [name, shown(ours), shown(theirs), `${shown(ratio)} ×`])
]

const tablesOf = ({ growths, peer, score, speeds }: Report): ReadonlyArray<readonly [title: string, table: Table]> =>
  [
    ["Attacks that were caught", shares("class", peer, score.attacks)],
    ["Orders to a model that were found, by language", shares("language", peer, score.languages)],
    ["Honest texts in which something was found", shares("class", peer, score.flagged)],
    ["Honest texts that were altered", shares("class", peer, score.altered)],
    ["Megabytes a second", megabytes(peer, speeds)],
    [
      "Time for 256 Ki characters, in times of that for 128 Ki",
      [["repeated", "times"], ...growths.map(({ name, ratio }) => [name, shown(ratio)])]
    ]
  ].filter((entry): entry is [string, Table] => (entry[1] as Table).length > 1)

const aligned = (table: Table): string => {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("  "))
    .join("\n")
}

const mark = ({ goal, measured, pass }: Verdict) => `${pass ? "pass" : "FAIL"}  ${goal}: ${measured}`

export const asText = (report: Report): string =>
  `${tablesOf(report)
    .map(([title, table]) => `${title}\n${aligned(table)}`)
    .join("\n\n")}\n\n${verdictsOf(report).map(mark).join("\n")}\n`

const escaped = (cell: string) => cell.replaceAll("|", "\\|").replaceAll("<", "&lt;")
const markdown = ([head, ...rows]: Table): string =>
  [head!, head!.map((_, i) => (i === 0 ? "---" : "---:")), ...rows]
    .map((row) => `| ${row.map(escaped).join(" | ")} |`)
    .join("\n")

const whereOf = ({ cores, cpu, date, node, platform }: Machine) =>
  `${date}, Node ${node}, ${platform}, ${cores} cores of ${cpu}`

const asMarkdown = (report: Report): string =>
  [
    `Measured with \`${COMMAND}\` (${whereOf(report.where)}).`,
    ...tablesOf(report).map(([title, table]) => `**${title}**\n\n${markdown(table)}`),
    verdictsOf(report)
      .map((verdict) => `- ${mark(verdict)}`)
      .join("\n")
  ].join("\n\n")

/** What was measured of each promise, without the details. */
const asSummary = ({ growths, peer, score, speeds, where }: Report): string =>
  [
    `Measured with \`${COMMAND}\` (${whereOf(where)}).`,
    markdown(shares("attacks that were caught", peer, score.attacks)),
    markdown(
      shares("honest texts", peer, [
        { ...score.flagged.at(-1)!, name: "something was found" },
        { ...score.altered.at(-1)!, name: "altered" }
      ])
    ),
    markdown(megabytes(peer, speeds)),
    verdictsOf({ where, peer, score, speeds, growths })
      .map((verdict) => `- ${mark(verdict)}`)
      .join("\n")
  ].join("\n\n")

const RESULTS = new URL("../results/", import.meta.url)

export const write = (report: Report): void => {
  mkdirSync(RESULTS, { recursive: true })
  const { missed: _, ...score } = report.score
  writeFileSync(
    new URL("sanitizer.json", RESULTS),
    `${JSON.stringify({ ...report, score, verdicts: verdictsOf(report) }, null, 2)}\n`
  )
  writeFileSync(new URL("sanitizer.md", RESULTS), `# Score of the sanitiser\n\n${asMarkdown(report)}\n`)
  writeFigures("content.md", COMMAND, { score: asMarkdown(report) })
  writeFigures("security.md", COMMAND, { "score in short": asSummary(report) })
}
