/** How the ends of calls are written: each row is found by its key, however many rows there are and whatever is known of them. */
import type { Migration } from "./Migration.ts"

const CLOSE_CALLS = `create function mcp_live.close_calls_1(ended json) returns void
  language plpgsql set enable_seqscan = off as $$
  declare
    one record;
  begin
    perform set_config('synchronous_commit', 'off', true);
    for one in
      select * from json_to_recordset(ended) as each (incarnation text, seq bigint, day date, at float8, outcome text)
    loop
      update mcp_live.calls set outcome = one.outcome, closed_at = to_timestamp(one.at / 1000.0)
        where incarnation = one.incarnation and seq = one.seq and on_day = one.day;
    end loop;
  end $$`

export const closing: Migration = { name: "closing", statements: [CLOSE_CALLS] }
