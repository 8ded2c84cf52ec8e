/** Sessions on the page for people that were ended before they would have ended by themselves. */
import type { Migration } from "./Migration.ts"

export const pageLogouts: Migration = {
  name: "page_logouts",
  statements: [
    `create table mcp_live.page_logouts (
      session text primary key,
      ends_at timestamptz not null
    )`,
    "create index page_logouts_end on mcp_live.page_logouts (ends_at)"
  ]
}
