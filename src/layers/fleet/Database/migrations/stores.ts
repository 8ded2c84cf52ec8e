/**
 * What the nodes of a fleet store together: approvals, pins, credentials, the tokens that limit calls, kept results and conversations. Who has stored something last is told
 * by its revision, which is never used again.
 */
import type { Migration } from "./Migration.ts"

/**
 * Takes tokens out of buckets: for calls that wait, and for calls to come as far as a share of what is left allows. `back` was taken and not
 * used; `used` was used without asking. Buckets are locked in one order. It is not worth waiting for the disk: what a crash undoes are the
 * tokens of less than a second.
 */
const TAKE_TOKENS = `create function mcp_live.take_tokens_1(asked jsonb)
  returns table (bucket text, granted double precision, rest double precision)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    one record;
    had record;
    here timestamptz;
    filled double precision;
    given double precision;
  begin
    perform set_config('synchronous_commit', 'off', true);
    for one in
      select * from jsonb_to_recordset(asked) as each (
        bucket text, burst double precision, per_ms double precision, need double precision, ahead double precision,
        back double precision, used double precision)
      order by bucket
    loop
      insert into mcp_live.call_tokens (bucket, tokens, at, full_at)
        values (one.bucket, one.burst, clock_timestamp(), clock_timestamp()) on conflict (bucket) do nothing;
      select tokens, at into had from mcp_live.call_tokens where bucket = one.bucket for update;
      here := greatest(clock_timestamp(), had.at);
      filled := least(one.burst, had.tokens + one.back + extract(epoch from here - had.at) * 1000 * one.per_ms);
      filled := greatest(filled - one.used, -one.burst);
      given := floor(greatest(0, least(filled, one.need + greatest(0, least(one.ahead, (filled - one.need) * SHARE)))));
      update mcp_live.call_tokens
        set tokens = filled - given, at = here,
          full_at = here + make_interval(secs => (one.burst - filled + given) / one.per_ms / 1000)
        where bucket = one.bucket;
      return query select one.bucket, given, filled - given;
    end loop;
  end $$`

/** Of what is left in a bucket. The function keeps it: another one is another function. */
const SHARE = "0.25"

export const stores: Migration = {
  name: "stores",
  statements: [
    "create sequence mcp_live.revisions",
    `create table mcp_live.approvals (
      subject text primary key,
      tool text not null,
      content text not null,
      approved_at double precision not null
    )`,
    "create index approvals_tool on mcp_live.approvals (tool)",
    `create table mcp_live.pins (
      key text primary key,
      server text not null,
      revision bigint not null,
      content text not null,
      updated_at timestamptz not null default now()
    )`,
    `create table mcp_live.leases (
      name text primary key,
      holder text not null,
      until timestamptz not null
    )`,
    "create index leases_holder on mcp_live.leases (holder)",
    `create table mcp_live.credentials (
      key text primary key,
      revision bigint not null,
      content text not null
    )`,
    `create table mcp_live.call_tokens (
      bucket text primary key,
      tokens double precision not null,
      at timestamptz not null,
      full_at timestamptz not null
    ) with (fillfactor = 50)`,
    TAKE_TOKENS.replace("SHARE", SHARE),
    `create table mcp_live.results (
      handle text primary key,
      content text not null,
      kept_at timestamptz not null default now()
    )`,
    `create table mcp_live.result_parts (
      handle text not null,
      n integer not null,
      content bytea not null,
      kept_at timestamptz not null default now(),
      primary key (handle, n)
    )`,
    `create table mcp_live.conversations (
      name text primary key,
      owner text not null,
      header text not null,
      turns integer not null,
      updated_at timestamptz not null default now()
    )`,
    `create table mcp_live.conversation_lines (
      name text not null references mcp_live.conversations (name) on delete cascade,
      n integer not null,
      line text not null,
      primary key (name, n)
    )`,
    "create index results_kept_at on mcp_live.results (kept_at)",
    "create index result_parts_kept_at on mcp_live.result_parts (kept_at)"
  ]
}
