/** How much the database of a fleet has to do for a call. */
import { isolate } from "../lib/isolate.ts"
import type { BenchCase } from "../lib/result.ts"
import { shown } from "../lib/stats.ts"

export const CALLS = 640
export const IN_FLIGHT = [1, 16, 64] as const

/** By what a statement is for; the rest is what nodes do all the time. */
export const KINDS = [
  { name: "rows of the journal", holds: /insert into mcp_live\.calls/ },
  { name: "ends in the journal", holds: /close_calls/ },
  { name: "audit log", holds: /insert into mcp_live\.audit/ }
] as const

const REST = ""

interface During {
  readonly seconds: number
  /** By which the tables of calls grew. */
  readonly bytes: number
  readonly ofKind: Readonly<Record<string, { readonly statements: number; readonly ms: number }>>
}

export interface Counted extends During {
  readonly where: "near" | "far"
  readonly inFlight: number
}

const GOAL = 2

export const fleetStatements: BenchCase = {
  name: "fleetStatements",
  needs: "postgres",
  goal: `A call costs at most ${GOAL} statements of the database.`,
  run: async () => {
    const { counted, idle } = await isolate<{ readonly idle: During; readonly counted: ReadonlyArray<Counted> }>(
      "fleetStatements.ts"
    )
    const idleOf = (what: "statements" | "ms") => idle.ofKind[REST]![what] / idle.seconds
    const perCall = ({ ofKind, seconds }: During, what: "statements" | "ms") =>
      Object.entries(ofKind).reduce(
        (all, [kind, found]) => all + found[what] - (kind === REST ? idleOf(what) * seconds : 0),
        0
      ) / CALLS
    const nameOf = ({ inFlight, where }: Counted) => `${where}, ${inFlight} in flight`
    return {
      columns: [
        "calls/s",
        "statements per call",
        ...KINDS.map(({ name }) => name),
        "database µs per call",
        "bytes per call"
      ],
      rows: counted.map((each) => ({
        variant: nameOf(each),
        values: [
          CALLS / each.seconds,
          perCall(each, "statements"),
          ...KINDS.map(({ name }) => each.ofKind[name]!.statements / CALLS),
          perCall(each, "ms") * 1_000,
          each.bytes / CALLS
        ]
      })),
      verdicts: counted.map((each) => ({
        goal: `${nameOf(each)}: at most ${GOAL} statements per call`,
        measured: shown(perCall(each, "statements")),
        pass: perCall(each, "statements") <= GOAL
      })),
      notes: [
        `${CALLS} calls each, counted by pg_stat_statements. Two nodes that do nothing run ${shown(idleOf("statements"))} statements a second together (${shown(idleOf("ms"))} ms of the database); that is subtracted.`
      ]
    }
  }
}
