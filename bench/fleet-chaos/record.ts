/** A file with the reports of runs. Each run has one entry, which it writes again and again: so a run that is killed has one, too. */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import type { Report } from "./report.ts"

export const readReports = (file: string): ReadonlyArray<Report> =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { readonly runs: ReadonlyArray<Report> }).runs : []

export const writeReport = (file: string, report: Report): void => {
  const runs = [...readReports(file).filter(({ run }) => run !== report.run), report]
  // Whoever reads it meanwhile finds all of the one before.
  writeFileSync(`${file}.new`, `${JSON.stringify({ runs }, undefined, 2)}\n`)
  renameSync(`${file}.new`, file)
}

type Counts = Readonly<Record<string, number>>

const added = (all: ReadonlyArray<Counts>): Counts => {
  const sum: Record<string, number> = {}
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

const total = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, one) => sum + one, 0)
const most = (numbers: ReadonlyArray<number>) => numbers.reduce((one, other) => Math.max(one, other), 0)

const listed = (counts: Counts) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")

/** All runs as one. Of times, the worst run counts: p50 and p99 cannot be added. */
export const sumOf = (runs: ReadonlyArray<Report>): string => {
  const groups = [...new Set(runs.flatMap(({ calls }) => Object.keys(calls)))].toSorted()
  const faults = [...new Set(runs.flatMap(({ recovery }) => Object.keys(recovery)))].toSorted()
  const worst = (kind: string) => {
    const all = runs.flatMap(({ recovery }) => recovery[kind] ?? [])
    return `p50 at most ${most(all.map(({ p50 }) => p50))} ms, p99 at most ${most(all.map(({ p99 }) => p99))} ms, most ${most(all.map((spread) => spread.most))} ms`
  }
  const broken = added(runs.map((run) => run.broken))
  return [
    `${runs.length} runs, ${(total(runs.map(({ seconds }) => seconds)) / 60).toFixed(1)} minutes, ${total(runs.map(({ kills }) => kills))} nodes killed`,
    ...runs.map(
      ({ clients, isOver, kills, machine, seconds, seed, violations }) =>
        `- ${machine.date}, load ${machine.load}: ${seconds} s, ${clients} clients, seed ${seed}, ${kills} killed, ${violations} violations${isOver ? "" : " (not ended: the journal was not looked at)"}`
    ),
    `faults: ${listed(added(runs.map((run) => run.faults)))}`,
    ...groups.map((group) => `calls, ${group}: ${listed(added(runs.map(({ calls }) => calls[group] ?? {})))}`),
    `calls of the counted server: p50 at most ${most(runs.map(({ latency }) => latency.p50))} ms, p99 at most ${most(runs.map(({ latency }) => latency.p99))} ms`,
    ...faults.map((kind) => `next good answer after ${kind}: ${worst(kind)}`),
    `worst minute of a limit: ${Math.round(most(runs.flatMap(({ limits }) => limits.map((use) => use.worst))) * 100)} %`,
    `sessions lost: ${total(runs.map(({ sessions }) => sessions.lost))} of ${total(runs.map(({ sessions }) => sessions.opened))} times that clients came`,
    ...Object.entries(broken).map(([promise, count]) => `BROKEN ${count} times: ${promise}`),
    Object.keys(broken).length === 0 ? "no violation" : `${total(Object.values(broken))} VIOLATIONS`
  ].join("\n")
}
