/** Where each shared server process lives. The epoch grows each time it moves: what names an earlier one is refused. */
import type { Migration } from "./Migration.ts"

export const placements: Migration = {
  name: "placements",
  statements: [
    `create table mcp_live.placements (
      key text primary key,
      node text not null,
      incarnation text not null,
      epoch bigint not null default 1,
      placed_at timestamptz not null default clock_timestamp(),
      used_at timestamptz not null default clock_timestamp()
    )`,
    "create index placements_incarnation on mcp_live.placements (incarnation)"
  ]
}
