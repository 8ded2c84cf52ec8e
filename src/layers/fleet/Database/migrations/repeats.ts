/** The arguments of calls that may be run again, while they are under way: for the node that takes over the session of a dead one. */
import type { Migration } from "./Migration.ts"

export const repeats: Migration = {
  name: "repeats",
  statements: [
    `create table mcp_live.repeats (
      session text not null,
      request text not null,
      incarnation text not null,
      seq bigint not null,
      sealed text not null,
      kept_at timestamptz not null default now(),
      primary key (session, request)
    )`,
    "create index repeats_call on mcp_live.repeats (incarnation, seq)",
    "create index repeats_kept on mcp_live.repeats (kept_at)"
  ]
}
