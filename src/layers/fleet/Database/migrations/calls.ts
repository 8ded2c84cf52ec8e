/**
 * The journal of calls, the lives of nodes that have written to it, and the audit log. Journal and log are kept by day, so that a day that is over is dropped as one table; what fits into no day is
 * in the table `…_other`.
 */
import type { Migration } from "./Migration.ts"

export const calls: Migration = {
  name: "calls",
  statements: [
    `create table mcp_live.calls (
      incarnation uuid not null,
      seq bigint not null,
      on_day date not null,
      node text not null,
      opened_at timestamptz not null,
      closed_at timestamptz,
      outcome text,
      session text,
      request text,
      agent text not null,
      client text,
      server text not null,
      tool text not null,
      primary key (incarnation, seq, on_day)
    ) partition by range (on_day)`,
    "create index calls_session on mcp_live.calls (session) where session is not null",
    `create table mcp_live.lives (
      incarnation uuid primary key,
      node text not null,
      began_at timestamptz not null default now(),
      buried_at timestamptz
    )`,
    "create table mcp_live.calls_other partition of mcp_live.calls default",
    "create sequence mcp_live.audit_ids",
    `create table mcp_live.audit (
      on_day date not null,
      tx xid8 not null default pg_current_xact_id(),
      id bigint not null default nextval('mcp_live.audit_ids'),
      node text not null,
      line text not null,
      primary key (on_day, tx, id)
    ) partition by range (on_day)`,
    "create table mcp_live.audit_other partition of mcp_live.audit default"
  ]
}
