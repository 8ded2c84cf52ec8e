/** What people have approved for an MCP session: it is there as long as the session, and goes with it. */
import type { Migration } from "./Migration.ts"

export const sessionApprovals: Migration = {
  name: "session_approvals",
  statements: [
    `create table mcp_live.session_approvals (
      session text not null references mcp_live.sessions (id) on delete cascade,
      subject text not null,
      primary key (session, subject)
    )`
  ]
}
