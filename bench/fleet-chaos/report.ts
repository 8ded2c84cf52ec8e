/** The report of a run, as text and as JSON. */
import { machine } from "../lib/machine.ts"
import { quantile } from "../lib/stats.ts"
import type { Call } from "./calls.ts"
import { type Facts, isCounted, type Violation } from "./check/facts.ts"
import { type Use, usesOf } from "./check/limits.ts"

interface Spread {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

export interface Report {
  /** The name of the run. */
  readonly run: string
  /** False for what a run has written before its end: the journal and what is left running were not looked at. */
  readonly isOver: boolean
  readonly machine: ReturnType<typeof machine>
  readonly command: string
  readonly seconds: number
  readonly callsPerSecond: number
  readonly seed: number
  readonly clients: number
  readonly kills: number
  readonly faults: Readonly<Record<string, number>>
  readonly calls: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Of calls of the counted server that succeeded, without the time for which it was told to wait. */
  readonly latency: Spread
  /** For each kind of fault: how long each client waited for its next good answer. */
  readonly recovery: Readonly<Record<string, Spread>>
  /** What clients of the counted servers were told instead of a result, without names and numbers, the most frequent first. */
  readonly told: ReadonlyArray<readonly [string, number]>
  /** Of each client of the server with a limit. */
  readonly limits: ReadonlyArray<Use>
  readonly sessions: { readonly opened: number; readonly lost: number }
  readonly violations: number
  /** How often each promise was broken. */
  readonly broken: Readonly<Record<string, number>>
}

const spread = (values: ReadonlyArray<number>): Spread => ({
  count: values.length,
  p50: Math.round(quantile(values, 0.5)),
  p99: Math.round(quantile(values, 0.99)),
  most: Math.round(values.reduce((one, other) => Math.max(one, other), 0))
})

const tally = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

const TOLD_CHARS = 160
const TOLD_MAX = 15

const told = (calls: ReadonlyArray<Call>): Report["told"] => {
  const texts = calls
    .filter((call) => isCounted(call) && call.outcome !== "success")
    .map(
      ({ outcome, text = "" }) => `${outcome}: ${text.replaceAll(/'[^']*'|\([^)]*\)|\d+/g, "…").slice(0, TOLD_CHARS)}`
    )
  return Object.entries(tally(texts))
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, TOLD_MAX)
}

const kindOf = (call: Call): string =>
  isCounted(call) ? call.server : call.tool === "echo" || call.tool === "begin" ? `hostile or real` : "real"

/** From a fault, or the beginning of the client's next call, to the client's next good answer. */
const recovery = ({ calls, faults }: Facts): Readonly<Record<string, Spread>> => {
  const ofClients = new Map<string, Array<Call>>()
  for (const call of calls.filter(({ server }) => server === "counted")) {
    const own = ofClients.get(call.client)
    if (own === undefined) ofClients.set(call.client, [call])
    else own.push(call)
  }
  const waited: Record<string, Array<number>> = {}
  for (const own of ofClients.values()) {
    // Both are in the order of time.
    let first = 0
    let next = 0
    for (const { at, kind } of faults) {
      while (first < own.length && (own[first]!.ended ?? 0) < at) first++
      next = Math.max(next, first)
      while (next < own.length && own[next]!.outcome !== "success") next++
      const good = own[next]
      if (good === undefined) break
      const from = Math.max(at, own[first]!.began)
      ;(waited[kind] ??= []).push(Math.max(0, good.ended! - from - good.ms))
    }
  }
  return Object.fromEntries(Object.entries(waited).map(([kind, values]) => [kind, spread(values)]))
}

export interface Given {
  readonly run: string
  readonly isOver: boolean
  readonly facts: Facts
  readonly violations: ReadonlyArray<Violation>
  readonly command: string
  readonly began: number
  readonly seed: number
  readonly clients: number
}

export const reportOf = ({ began, clients, command, facts, isOver, run, seed, violations }: Given): Report => {
  const { calls, ended, faults, kills, seen } = facts
  const good = calls.filter(({ outcome, server }) => server === "counted" && outcome === "success")
  const groups = [...new Set(calls.map(kindOf))].toSorted()
  return {
    run,
    isOver,
    machine: machine(),
    command,
    seconds: Math.round((ended - began) / 1_000),
    callsPerSecond: Math.round((10_000 * calls.length) / Math.max(1, ended - began)) / 10,
    seed,
    clients,
    kills: kills.length,
    faults: tally(faults.map(({ kind }) => kind)),
    calls: Object.fromEntries(
      groups.map((group) => [
        group,
        tally(calls.filter((call) => kindOf(call) === group).map(({ outcome }) => outcome ?? "lost"))
      ])
    ),
    latency: spread(good.map(({ began, ended, ms }) => Math.max(0, ended! - began - ms))),
    recovery: recovery(facts),
    told: told(calls),
    limits: usesOf(facts),
    sessions: { opened: seen.opened, lost: seen.sessionsLost.length },
    violations: violations.length,
    broken: tally(violations.map(({ promise }) => promise))
  }
}

const counts = (all: Readonly<Record<string, number>>) =>
  Object.entries(all)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ")

const times = ({ count, most, p50, p99 }: Spread) => `p50 ${p50} ms, p99 ${p99} ms, most ${most} ms (${count})`

export const asText = (report: Report): string => {
  const { calls, faults, kills, latency, limits, machine, recovery, seconds, sessions, violations } = report
  return [
    `${machine.date}, ${machine.cores} cores (${machine.cpu}), Node ${machine.node}, load ${machine.load}: ${report.command}`,
    `${seconds} s, ${report.clients} clients, ${report.callsPerSecond} calls/s, seed ${report.seed}, ${kills} nodes killed`,
    `faults: ${counts(faults)}`,
    ...Object.entries(calls).map(([group, outcomes]) => `calls, ${group}: ${counts(outcomes)}`),
    `calls of the counted server: ${times(latency)}`,
    ...Object.entries(recovery).map(([kind, spread]) => `next good answer after ${kind}: ${times(spread)}`),
    ...report.told.map(([text, count]) => `told ${count} times: ${text}`),
    ...limits.map(
      ({ allowed, client, executed, refused, worst }) =>
        `limit of ${client}: ${executed} of ${allowed} allowed, ${refused} refused; worst minute ${Math.round(worst * 100)} %`
    ),
    `clients came ${sessions.opened} times; sessions lost: ${sessions.lost}`,
    violations === 0 ? "no violation" : `${violations} VIOLATIONS`
  ].join("\n")
}

const clock = (at: number | undefined) => (at === undefined ? "-" : new Date(at).toISOString().slice(11, 23))

const SHOWN = 20

/** The first of each promise, with the history of its call. */
export const historiesOf = (violations: ReadonlyArray<Violation>, { executions, faults }: Facts): string => {
  const groups = Map.groupBy(violations, ({ promise }) => promise)
  return [...groups]
    .flatMap(([promise, all]) => [
      `\nBROKEN: ${promise} (${all.length})`,
      ...all
        .slice(0, SHOWN)
        .flatMap(({ call, detail, rows = [] }) => [
          `- ${detail}`,
          ...(call === undefined
            ? []
            : [
                `    ${call.id} ${call.client} (${call.era}) ${call.server}/${call.tool} ms=${call.ms} session=${call.session ?? "-"}`,
                `    ${clock(call.began)} to ${clock(call.ended)}: ${call.outcome ?? "-"} ${call.text ?? ""}`,
                ...call.hops.map(({ at, node, said }) => `      ${clock(at)} ${node}: ${said}`),
                ...(executions.get(call.id) ?? []).map(({ at }) => `      ${clock(at)} executed`),
                ...faults
                  .filter(
                    ({ at, until = Infinity }) => at <= (call.ended ?? Infinity) + 1_000 && until >= call.began - 10_000
                  )
                  .map(
                    ({ at, kind, node, until }) => `      fault ${clock(at)} to ${clock(until)}: ${kind} ${node ?? ""}`
                  )
              ]),
          ...rows.map(({ at, node, outcome, tool }) => `      journal ${clock(at)} ${node} ${tool}: ${outcome}`)
        ])
    ])
    .join("\n")
}
