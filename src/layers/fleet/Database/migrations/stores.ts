/**
 * What the nodes of a fleet store together: approvals, pins, credentials, the tokens and places that limit calls, kept results and conversations. Who has stored something last is told
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

/**
 * Takes places for calls in flight: as many as a node wants, of those that no other node has. What it uses counts as its own in any case. The
 * places of a node that does not renew them are free after some seconds.
 */
const TAKE_PLACES = `create function mcp_live.take_places_1(asked jsonb, who text, seconds double precision)
  returns table (server text, places integer)
  language plpgsql as $$
  #variable_conflict use_column
  declare
    one record;
    others integer;
    given integer;
  begin
    perform set_config('synchronous_commit', 'off', true);
    for one in
      select * from jsonb_to_recordset(asked) as each (server text, want integer, used integer, most integer) order by server
    loop
      perform pg_advisory_xact_lock(hashtextextended('places ' || one.server, 0));
      delete from mcp_live.call_places where server = one.server and until < clock_timestamp();
      select coalesce(sum(places), 0) into others from mcp_live.call_places where server = one.server and node <> who;
      given := greatest(one.used, least(one.want, one.most - others), 0);
      if given = 0 then
        delete from mcp_live.call_places where server = one.server and node = who;
      else
        insert into mcp_live.call_places (server, node, places, until)
          values (one.server, who, given, clock_timestamp() + make_interval(secs => seconds))
          on conflict (server, node) do update set places = excluded.places, until = excluded.until;
      end if;
      return query select one.server, given;
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
    `create table mcp_live.call_places (
      server text not null,
      node text not null,
      places integer not null,
      until timestamptz not null,
      primary key (server, node)
    ) with (fillfactor = 50)`,
    TAKE_PLACES,
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
