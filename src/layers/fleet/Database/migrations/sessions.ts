/**
 * MCP sessions and tasks: what another node needs when theirs is dead. A session without a node may be taken over by any. Records are JSON as
 * text, because what a client says may have characters that PostgreSQL's JSON does not take.
 */
import type { Migration } from "./Migration.ts"

export const sessions: Migration = {
  name: "sessions",
  statements: [
    `create table mcp_live.sessions (
      id text primary key,
      node text,
      incarnation text,
      epoch bigint not null default 1,
      record text not null,
      changed_at timestamptz not null default now(),
      alone_since timestamptz
    )`,
    "create index sessions_incarnation on mcp_live.sessions (incarnation)",
    "create index sessions_alone on mcp_live.sessions (alone_since) where alone_since is not null",
    `create table mcp_live.tasks (
      id text primary key,
      owner text not null,
      record text not null,
      expires_at timestamptz not null
    )`,
    "create index tasks_owner on mcp_live.tasks (owner)",
    "create index tasks_expiry on mcp_live.tasks (expires_at)",
    `create table mcp_live.handles (
      handle text not null,
      principal text not null,
      given_at timestamptz not null default now(),
      primary key (handle, principal)
    )`,
    "create index handles_given on mcp_live.handles (given_at)"
  ]
}
