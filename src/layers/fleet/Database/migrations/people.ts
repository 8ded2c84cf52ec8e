/** What belongs to people: how many calls they have made, and whose the calls of the journal are. */
import type { Migration } from "./Migration.ts"

/**
 * Counts calls for quotas, as `granted` of schemas/call/Quota.ts does: for calls that wait, and for calls to come as far as a share of what is left
 * allows. `back` was granted and not used; `used` was used without asking. Quotas are locked in one order.
 */
const TAKE_QUOTAS = `create function mcp_live.take_quotas_1(asked jsonb)
  returns table (name text, granted double precision, count double precision)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    one record;
    had double precision;
    rest double precision;
    given double precision;
  begin
    perform set_config('synchronous_commit', 'off', true);
    for one in
      select * from jsonb_to_recordset(asked) as each (
        name text, "limit" double precision, "endsAt" double precision, need double precision, ahead double precision,
        back double precision, used double precision)
      order by name
    loop
      insert into mcp_live.call_quotas (name, count, ends_at)
        values (one.name, 0, to_timestamp(one."endsAt" / 1000)) on conflict (name) do nothing;
      select count into had from mcp_live.call_quotas where name = one.name for update;
      had := greatest(0, had - one.back + one.used);
      rest := greatest(0, one."limit" - had);
      given := least(rest, one.need + greatest(0, least(one.ahead, floor((rest - one.need) * 0.25))));
      update mcp_live.call_quotas set count = had + given where name = one.name;
      return query select one.name, given, had + given;
    end loop;
  end $$`

export const people: Migration = {
  name: "people",
  statements: [
    `create table mcp_live.call_quotas (
      name text primary key,
      count double precision not null,
      ends_at timestamptz not null
    ) with (fillfactor = 50)`,
    TAKE_QUOTAS
  ]
}
