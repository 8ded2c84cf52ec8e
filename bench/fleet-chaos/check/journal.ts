/** The journal has each call that was executed, agrees with what happened, and has no row that is open when all is over. */
import type { Call } from "../calls.ts"
import { type Facts, isCounted, mayRunTwice, type Row, type Violation } from "./facts.ts"
import { TURNS } from "../tools.ts"

/** A request may be written a moment after its client has given up: a frozen node had it. */
const keyOf = ({ client, server, tool }: Pick<Row, "client" | "server" | "tool">) => `${client} ${server} ${tool}`

const grouped = <A>(all: ReadonlyArray<A>, key: (one: A) => string): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const one of all) {
    const group = groups.get(key(one))
    if (group === undefined) groups.set(key(one), [one])
    else group.push(one)
  }
  return groups
}

/** During these, a node cannot write what became of a call. */
const UNWRITTEN: ReadonlySet<string> = new Set(["database", "silence", "freeze"])

const isUnwrittenIn = (faults: Facts["faults"], from: number, to: number): boolean =>
  faults.some(({ at, kind, until = Infinity }) => UNWRITTEN.has(kind) && at <= to && until >= from)

const faultOf = (call: Call, times: number, rows: ReadonlyArray<Row>, faults: Facts["faults"]): string | undefined => {
  const outcomes = rows.map(({ outcome }) => outcome)
  // One that has not left is written again where it does.
  const left = outcomes.filter((outcome) => outcome !== "failed")
  if (left.length > 1 && !mayRunTwice(call)) return `it has ${rows.length} rows`
  // It is run again only where nobody knows what became of it, or could write that yet.
  const ended = left.slice(0, -1).some((outcome) => outcome !== "unknown")
  if (ended && !isUnwrittenIn(faults, rows[0]!.at, rows.at(-1)!.at))
    return `it was run again after it was \`${left.join()}\``
  if (times > 0 && rows.length === 0) return "it was executed, and has no row"
  if (times > 0 && outcomes.length > 0 && outcomes.every((outcome) => outcome === "failed"))
    return "it was executed, and its row says `failed`"
  if (times === 0 && outcomes.includes("done")) return "it was not executed, and its row says `done`"
  // A node may die between the answer and the moment at which its end is written.
  if (call.outcome === "success" && !outcomes.some((outcome) => outcome === "done" || outcome === "unknown")) {
    return `it was answered, and its row says \`${outcomes.join()}\``
  }
  if (call.outcome === "refused" && outcomes.some((outcome) => outcome === "done")) {
    return "its client was told that it was not executed, and its row says `done`"
  }
  return undefined
}

export const journal = ({ calls, executions, faults, journal }: Facts): ReadonlyArray<Violation> => {
  const open = journal.filter(({ outcome }) => outcome === null)
  const rowsOf = grouped(journal, keyOf)
  const found: Array<Violation> = []
  if (open.length > 0) {
    const detail = `${open.length} rows are open, of ${[...new Set(open.map(({ node }) => node))].join()}`
    found.push({ promise: "no row of the journal is open", detail, rows: open.slice(0, 5) })
  }
  for (const [key, own] of grouped(calls.filter(isCounted), keyOf)) {
    const rows = rowsOf.get(key) ?? []
    // A row belongs to the last call that began before it: a client uses the same tool again after many others.
    let next = 0
    own.forEach((call, index) => {
      const until = own[index + 1]?.began ?? Infinity
      while (next < rows.length && rows[next]!.at < call.began) next++
      const mine: Array<Row> = []
      while (next < rows.length && rows[next]!.at < until) mine.push(rows[next++]!)
      const detail = faultOf(call, executions.get(call.id)?.length ?? 0, mine, faults)
      if (detail !== undefined)
        found.push({ promise: "the journal agrees with what happened", detail, call, rows: mine })
    })
  }
  return found
}

/** So many calls of a client lie between two of the same tool. */
export const APART = TURNS
