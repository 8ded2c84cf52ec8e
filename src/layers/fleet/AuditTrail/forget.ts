/** Takes a person out of the audit log and the journal of calls: the rows stay, without whose they are. One statement for each day. */
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import { FORGOTTEN, OPERATOR } from "../../../schemas/call/Forgotten.ts"
import type { ForgottenPerson } from "../../../services/call/PersonStores.ts"
import type { Database, Sql } from "../../../services/fleet/Database.ts"

/** A member of a line that is a text. A quotation mark within a text has a backslash before it, so nothing else looks like it. */
const member = (name: string): string => `"${name}":"([^"\\\\]|\\\\.)*"`

const dayFrom = (sql: Sql, table: string, day: string) =>
  sql.unsafe<{ day: string | null; next: string | null }>(
    `select day::text as day, (day + 1)::text as next
     from (select min(on_day) as day from mcp_live.${table} where on_day >= $1::date) as first`,
    [day]
  )

const among = (ids: ReadonlyArray<string>) => JSON.stringify(ids)

const inRecords = (sql: Sql, day: string, ids: ReadonlyArray<string>) =>
  sql<{ id: string }>`
    update mcp_live.audit set line = regexp_replace(regexp_replace(
      case when line::json->>'client' = ${OPERATOR} then line
        else regexp_replace(line, ${member("client")}, ${`"client":"${FORGOTTEN}"`}) end,
      ${member("person")}, ${`"person":"${FORGOTTEN}"`}), ${member("personId")}, ${`"personId":"${FORGOTTEN}"`})
    where on_day = ${day}::date and line like '%"personId":"%'
      and line::json->>'personId' in (select json_array_elements_text(${among(ids)}::text::json))
    returning id::text as id`

/** Calls for which they answered; those that are theirs, too, are counted as such. */
const inAnswers = (sql: Sql, day: string, ids: ReadonlyArray<string>) =>
  sql<{ isOthers: boolean }>`
    update mcp_live.audit set line = regexp_replace(line,
      ${`${member("answeredBy")},${member("answeredById")}`}, ${`"answeredBy":"${FORGOTTEN}","answeredById":"${FORGOTTEN}"`})
    where on_day = ${day}::date and line like '%"answeredById":"%'
      and line::json->>'answeredById' in (select json_array_elements_text(${among(ids)}::text::json))
    returning line::json->>'personId' is distinct from ${FORGOTTEN} as "isOthers"`

const inJournal = (sql: Sql, day: string, clients: ReadonlyArray<string>) =>
  sql<{ seq: string }>`
    update mcp_live.calls set client = ${FORGOTTEN}
    where on_day = ${day}::date and client <> ${OPERATOR}
      and client in (select json_array_elements_text(${JSON.stringify(clients)}::text::json))
    returning seq::text as seq`

const FIRST_DAY = "1970-01-01"

/** Returns how many records of the audit log there were. */
export const forgetIn = Effect.fnUntraced(function* (database: Database["Service"], { clients, ids }: ForgottenPerson) {
  const eachDay = Effect.fnUntraced(function* (
    table: string,
    change: (sql: Sql, day: string) => Effect.Effect<ReadonlyArray<unknown>, SqlError>
  ) {
    let count = 0
    const next = (day: string) => database.run("nothing can be changed", (sql) => dayFrom(sql, table, day))
    for (let [found] = yield* next(FIRST_DAY); found?.day != null; [found] = yield* next(found.next!)) {
      const { day } = found
      count += (yield* database.run("nothing can be changed", (sql) => change(sql, day!))).length
    }
    return count
  })
  yield* eachDay("calls", (sql, day) => inJournal(sql, day, clients))
  const own = yield* eachDay("audit", (sql, day) => inRecords(sql, day, ids))
  const answered = yield* eachDay("audit", (sql, day) =>
    Effect.map(inAnswers(sql, day, ids), (rows) => rows.filter(({ isOthers }) => isOthers))
  )
  return own + answered
})
