/** The row that says which fleet the database belongs to. */
import type { Migration } from "./Migration.ts"

export const first: Migration = {
  name: "first",
  statements: [
    `create table mcp_live.fleet (
      only_one boolean primary key default true check (only_one),
      id uuid not null default gen_random_uuid(),
      peers_fingerprint text,
      oldest_contract integer not null default 1,
      migrated_by text not null default '',
      created_at timestamptz not null default now()
    )`,
    "insert into mcp_live.fleet default values"
  ]
}
