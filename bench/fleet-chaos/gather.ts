/** Reads what a run has left behind: what the counted servers wrote, and the journal. */
import { existsSync, readFileSync } from "node:fs"
import type { Execution, Row } from "./check/facts.ts"
import type { Postgres } from "./postgres.ts"

export const executionsIn = (...files: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<Execution>> => {
  const found = new Map<string, Array<Execution>>()
  for (const line of files
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))) {
    const [call, at] = line.split(" ")
    if (call === undefined || at === undefined) continue
    const all = found.get(call)
    if (all === undefined) found.set(call, [{ call, at: Number(at) }])
    else all.push({ call, at: Number(at) })
  }
  return found
}

export const journalOf = async ({ query }: Postgres): Promise<ReadonlyArray<Row>> =>
  (await query(
    `select node, coalesce(substring(client from 'client-[0-9]+'), '') as client, server, tool, outcome,
       (extract(epoch from opened_at) * 1000)::float8 as at
     from mcp_live.calls order by opened_at, seq`
  )) as unknown as ReadonlyArray<Row>

export const openRows = async ({ query }: Postgres): Promise<number> =>
  Number((await query("select count(*)::int as n from mcp_live.calls where outcome is null"))[0]?.["n"])
