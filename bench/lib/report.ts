/** Figures as a table for the terminal, as Markdown and as JSON. */
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Machine } from "./machine.ts"
import type { BenchCase, CaseResult } from "./result.ts"
import { shown } from "./stats.ts"

export interface Finished {
  readonly case: Pick<BenchCase, "name" | "goal">
  readonly result: CaseResult
}

const cells = ({ columns, rows }: CaseResult): ReadonlyArray<ReadonlyArray<string>> => [
  ["", ...columns],
  ...rows.map(({ values, variant }) => [variant, ...values.map((value) => (value === null ? "–" : shown(value)))])
]

const mark = (pass: boolean) => (pass ? "pass" : "FAIL")

export const asText = ({ case: { goal, name }, result }: Finished): string => {
  const table = cells(result)
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const lines = table.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join("  ")
  )
  const verdicts = result.verdicts.map((verdict) => `${mark(verdict.pass)}  ${verdict.goal}: ${verdict.measured}`)
  return [`== ${name}: ${goal}`, ...lines, ...verdicts, ...result.notes.map((note) => `   ${note}`), ""].join("\n")
}

const row = (each: ReadonlyArray<string>) => `| ${each.join(" | ")} |`

const asMarkdown = ({ case: { goal, name }, result }: Finished): string => {
  const [head = [], ...rows] = cells(result)
  const table = [row(head), row(head.map((_, column) => (column === 0 ? "---" : "---:"))), ...rows.map(row)]
  const verdicts = result.verdicts.map(
    ({ goal: wanted, measured, pass }) => `- **${mark(pass)}** ${wanted}: ${measured}`
  )
  const notes = result.notes.map((note) => `- ${note}`)
  return [`## ${name}`, "", goal, "", ...table, "", ...verdicts, ...notes, ""].join("\n")
}

const heading = ({ cores, cpu, date, load, memoryGiB, node, packages, platform }: Machine): string =>
  [
    "# Benchmark results",
    "",
    `${date}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${node}; load average before the run ${load}.`,
    Object.entries(packages)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
    "",
    "Medians of interleaved rounds. Read the ratios: absolute times are those of this machine on that day.",
    ""
  ].join("\n")

export const write = (machine: Machine, finished: ReadonlyArray<Finished>): void => {
  const folder = new URL("../results/", import.meta.url)
  mkdirSync(fileURLToPath(folder), { recursive: true })
  const cases = finished.map(({ case: { goal, name }, result }) => ({ name, goal, ...result }))
  writeFileSync(new URL("latest.json", folder), `${JSON.stringify({ machine, cases }, undefined, 2)}\n`)
  writeFileSync(new URL("latest.md", folder), [heading(machine), ...finished.map(asMarkdown)].join("\n"))
}
