/** What calls used, summed up by the database: one statement for each day, whose result is a row for each group and not for each call. */
import * as Effect from "effect/Effect"
import { makeUsage, type UsageAsked, type UsageOnly, type UsagePart } from "../../../schemas/call/Usage.ts"
import type { Database } from "../../../services/fleet/Database.ts"

/** Of a record `r`. They are part of the statement, so nothing of them may come from outside. */
const PARTS: Readonly<Record<UsagePart, string>> = {
  person: "r->>'person'",
  agent: "r->>'agent'",
  client: "r->>'client'",
  server: "r->>'server'",
  tool: "concat_ws('/', r->>'server', r->>'tool')",
  day: "substr(r->>'time', 1, 10)"
}
const PERSON_ID = "r->>'personId'"
const OWN_TOOL = "r->>'tool'"

/** A glob as `like` has it. */
const likeOf = (glob: string): string =>
  glob
    .toLowerCase()
    .replace(/[\\%_]/g, "\\$&")
    .replace(/\*+/g, "%")
    .replaceAll("?", "_")

/** As in files, a person is also meant by id, and a tool by its own name. */
const meant = (part: keyof UsageOnly): ReadonlyArray<string> =>
  part === "person" ? [PARTS.person, PERSON_ID] : part === "tool" ? [PARTS.tool, OWN_TOOL] : [PARTS[part]]

const conditionsOf = (only: UsageOnly): { readonly text: string; readonly globs: ReadonlyArray<string> } => {
  const given = Object.entries(only).flatMap(([part, glob]) =>
    glob === undefined ? [] : [{ part: part as keyof UsageOnly, glob: likeOf(glob) }]
  )
  const one = (part: keyof UsageOnly, at: number) =>
    `(${meant(part)
      .map((value) => `lower(${value}) like $3::text::json->>${at}`)
      .join(" or ")})`
  return { text: given.map(({ part }, at) => ` and ${one(part, at)}`).join(""), globs: given.map(({ glob }) => glob) }
}

interface Row {
  readonly of: Readonly<Partial<Record<UsagePart, string | null>>>
  readonly personId: string | null
  readonly calls: number
  readonly errors: number
  readonly durationMs: number
  readonly resultChars: number
}

/** A renamed person is one group, under the last of the names. */
const statementOf = ({ by, only = {} }: UsageAsked): string => {
  const { text } = conditionsOf(only)
  const isByPerson = by.includes("person")
  const grouped = by.filter((part) => part !== "person").map((part) => PARTS[part])
  const groups = [...grouped, ...(isByPerson ? [`coalesce(${PERSON_ID}, ${PARTS.person})`, PERSON_ID] : [])]
  const members = by.map((part) => `'${part}', ${part === "person" ? `max(${PARTS.person})` : PARTS[part]}`)
  return `
    select json_build_object(${members.join(", ")}) as "of", ${isByPerson ? PERSON_ID : "null"} as "personId",
      count(*)::float8 as calls, (count(*) filter (where r->>'outcome' <> 'ok'))::float8 as errors,
      sum((r->>'durationMs')::float8) as "durationMs", sum((r->>'resultChars')::float8) as "resultChars"
    from (select line::json as r from mcp_live.audit where on_day = $1::date and line like '%"kind":"call"%') as lines
    where r->>'kind' = 'call' and r->>'time' >= $2::text and $3::text::json is not null${text}
    group by ${groups.length === 0 ? "()" : groups.join(", ")}`
}

export const usageIn = Effect.fnUntraced(function* (database: Database["Service"], asked: UsageAsked) {
  const run: typeof database.run = (_, work) => database.run("nothing can be read", work)
  const from = new Date(asked.since ?? 0).toISOString()
  const { globs } = conditionsOf(asked.only ?? {})
  const text = statementOf(asked)
  const usage = makeUsage(asked)

  const dayFrom = (day: string) =>
    run(
      "",
      (sql) => sql<{ day: string | null; next: string | null }>`
        select day::text as day, (day + 1)::text as next
        from (select min(on_day) as day from mcp_live.audit where on_day >= ${day}::date) as first`
    )

  for (let [found] = yield* dayFrom(from.slice(0, 10)); found?.day != null; [found] = yield* dayFrom(found.next!)) {
    const rows = yield* run("", (sql) => sql.unsafe<Row>(text, [found!.day, from, JSON.stringify(globs)]))
    for (const { personId, ...row } of rows) {
      if (row.calls > 0) usage.addRow(asked.by.includes("person") ? { ...row, personId } : row)
    }
  }
  return usage.result()
})
