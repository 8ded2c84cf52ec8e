/** The nodes, one row for each incarnation. A name belongs to one living incarnation. */
import type { Migration } from "./Migration.ts"

export const nodes: Migration = {
  name: "nodes",
  statements: [
    `create table mcp_live.nodes (
      incarnation text primary key,
      name text not null,
      address text not null,
      version text not null,
      contract integer not null,
      state text not null default 'alive',
      load jsonb not null default '{}',
      started_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp(),
      ended_at timestamptz
    )`,
    "create unique index nodes_living_name on mcp_live.nodes (name) where state <> 'dead'"
  ]
}
