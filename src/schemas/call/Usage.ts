/**
 * What calls used, by person, tool and other parts of their records in the audit log: how many, how many failed, how long they took, and how much they
 * returned. Pure.
 */
import { matchesGlob } from "../data/Glob.ts"
import { TOKEN_CHARS } from "../defaults/Control.ts"
import type { AuditRecord } from "./AuditRecord.ts"

/** By what calls can be summed up. `tool` is `server/tool`, `day` is a day of UTC. */
export const USAGE_PARTS = ["person", "agent", "client", "server", "tool", "day"] as const
export type UsagePart = (typeof USAGE_PARTS)[number]

/** Globs; case is ignored. `person` is a name, or the id of a person. */
export type UsageOnly = Readonly<Partial<Record<Exclude<UsagePart, "day">, string | undefined>>>

export interface UsageAsked {
  readonly by: ReadonlyArray<UsagePart>
  /** Milliseconds since 1970. */
  readonly since?: number | undefined
  readonly only?: UsageOnly | undefined
}

export interface UsageFigures {
  readonly calls: number
  /** Calls whose outcome is not `ok`, with those that were refused. */
  readonly errors: number
  readonly durationMs: number
  readonly resultChars: number
}

export interface UsageRow extends UsageFigures {
  /** What the calls have in common; `null` where they have no such part. */
  readonly of: Readonly<Partial<Record<UsagePart, string | null>>>
  /** Says two people of one name apart; there only by `person`. */
  readonly personId?: string | null
}

export interface Usage {
  /** Day by day, and the most calls first. */
  readonly rows: ReadonlyArray<UsageRow>
  readonly total: UsageFigures
}

type Call = Extract<AuditRecord, { readonly kind: "call" }>

const partOf = (call: Call, part: UsagePart): string | null => {
  switch (part) {
    case "tool":
      return call.server === null ? call.tool : `${call.server}/${call.tool}`
    case "day":
      return call.time.slice(0, 10)
    default:
      return call[part] ?? null
  }
}

const fits = (glob: string, text: string | null | undefined): boolean =>
  text != null && matchesGlob(glob.toLowerCase(), text.toLowerCase())

const isMeant = (call: Call, only: UsageOnly): boolean =>
  Object.entries(only).every(([part, glob]) => {
    if (glob === undefined || fits(glob, partOf(call, part as UsagePart))) return true
    return part === "person" ? fits(glob, call.personId) : part === "tool" && fits(glob, call.tool)
  })

const NONE: UsageFigures = { calls: 0, errors: 0, durationMs: 0, resultChars: 0 }

const sum = (a: UsageFigures, b: UsageFigures): UsageFigures => ({
  calls: a.calls + b.calls,
  errors: a.errors + b.errors,
  durationMs: a.durationMs + b.durationMs,
  resultChars: a.resultChars + b.resultChars
})

const order = (a: UsageRow, b: UsageRow): number => {
  const [one, other] = [a, b].map(({ of: { day } }) => day ?? "")
  return one! < other! ? -1 : one! > other! ? 1 : b.calls - a.calls
}

/** A person is one under any name. */
const keyOf = ({ of, personId }: UsageRow): string => JSON.stringify({ ...of, person: personId ?? of.person, personId })

/** Takes calls, and rows of others who have summed up calls by the same parts. */
export const makeUsage = ({ by, only = {}, since = 0 }: UsageAsked) => {
  const rows = new Map<string, UsageRow>()
  let total = NONE

  const addRow = (row: UsageRow): void => {
    const key = keyOf(row)
    const before = rows.get(key)
    rows.set(key, before === undefined ? row : { ...row, ...sum(before, row) })
    total = sum(total, row)
  }

  const add = (record: AuditRecord): void => {
    if (record.kind !== "call" || Date.parse(record.time) < since || !isMeant(record, only)) return
    addRow({
      of: Object.fromEntries(by.map((part) => [part, partOf(record, part)])),
      ...(by.includes("person") ? { personId: record.personId ?? null } : {}),
      calls: 1,
      errors: record.outcome === "ok" ? 0 : 1,
      durationMs: record.durationMs,
      resultChars: record.resultChars
    })
  }

  return { add, addRow, result: (): Usage => ({ rows: [...rows.values()].toSorted(order), total }) }
}

/** An estimate: how many tokens a model makes of a text depends on the model and the language. */
export const tokensOf = (chars: number): number => Math.ceil(chars / TOKEN_CHARS)
