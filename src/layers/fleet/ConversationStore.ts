/** Conversations in the database: every node can go on with them, one node at a time. Of a turn that was added, only its line is written. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import { FLEET_CONVERSATIONS_MAX } from "../../schemas/defaults/FleetStores.ts"
import { ConversationStore, type StoredConversation } from "../../services/agent/ConversationStore.ts"
import { Database, type Sql } from "../../services/fleet/Database.ts"
import { type Lease, Leases } from "../../services/fleet/Leases.ts"

const LINES_AT_ONCE = 32

const leaseOf = (name: string): string => `conversation ${name}`

const md5 = (text: string): string => createHash("md5").update(text).digest("hex")

const make = Effect.gen(function* () {
  const { run, transaction } = yield* Database
  const leases = yield* Leases
  /** Of those that this node has open. */
  const held = new Map<string, Lease>()

  /** A node that was frozen may not know yet that another one has gone on with it. None does before the transaction ends. */
  const isOurs = (sql: Sql, name: string) =>
    Effect.suspend(() => {
      const lease = held.get(name)
      if (lease === undefined) return Effect.succeed(true)
      const there = sql`
        select from mcp_live.leases where name = ${leaseOf(name)} and holder = ${lease.holder} for share`
      return Effect.map(there, (rows) => rows.length > 0)
    })

  /** Only the lines that differ. */
  const putLines = Effect.fnUntraced(function* (sql: Sql, name: string, lines: ReadonlyArray<string>) {
    const there = yield* sql<{ n: number; digest: string }>`
      select n, md5(line) as digest from mcp_live.conversation_lines where name = ${name}`
    const known = new Map(there.map(({ digest, n }) => [n, digest]))
    const fresh = lines.flatMap((line, n) => (known.get(n) === md5(line) ? [] : [{ name, n, line }]))
    for (const rows of Arr.chunksOf(fresh, LINES_AT_ONCE)) {
      yield* sql`
        insert into mcp_live.conversation_lines ${sql.insert(rows)}
        on conflict (name, n) do update set line = excluded.line`
    }
    yield* sql`delete from mcp_live.conversation_lines where name = ${name} and n >= ${lines.length}::int`
  })

  /** Those of the owner who has most, the oldest first; none that is in use. */
  const trim = (sql: Sql, spared: string) => sql`
    delete from mcp_live.conversations where name in (
      select name from (
        select name, updated_at, row_number() over (partition by owner order by updated_at desc) as place
        from mcp_live.conversations
      ) as ranked
      where name <> ${spared} and not exists (
        select from mcp_live.leases as lease
        where lease.name = 'conversation ' || ranked.name and lease.until > clock_timestamp())
      order by place desc, updated_at
      limit greatest(0, (select count(*) from mcp_live.conversations) - ${FLEET_CONVERSATIONS_MAX}::int)
    )`

  const write = (name: string, owner: string, { header, lines }: StoredConversation, isThere: boolean) =>
    transaction("the conversation cannot be stored", (sql) =>
      Effect.gen(function* () {
        if (!(yield* isOurs(sql, name))) return "failed" as const
        const written = isThere
          ? yield* sql`
              update mcp_live.conversations set header = ${header}, turns = ${lines.length}::int, updated_at = now()
              where name = ${name} returning name`
          : yield* sql`
              insert into mcp_live.conversations (name, owner, header, turns)
              values (${name}, ${owner}, ${header}, ${lines.length}::int)
              on conflict (name) do update
                set header = excluded.header, turns = excluded.turns, updated_at = now()
              returning name`
        if (written.length === 0) return "gone" as const
        yield* putLines(sql, name, lines)
        if (!isThere) yield* trim(sql, name)
        return "kept" as const
      })
    )

  return ConversationStore.of({
    read: (name) =>
      transaction("the conversation cannot be read", (sql) =>
        Effect.gen(function* () {
          const [row] = yield* sql<{ header: string }>`
            select header from mcp_live.conversations where name = ${name} for share`
          if (row === undefined) return undefined
          const lines = yield* sql<{ line: string }>`
            select line from mcp_live.conversation_lines where name = ${name} order by n`
          return { header: row.header, lines: lines.map(({ line }) => line) }
        })
      ),
    glance: (name) =>
      run(
        "the conversation cannot be read",
        (sql) => sql<{ header: string; turns: number }>`
          select header, turns from mcp_live.conversations where name = ${name}`
      ).pipe(Effect.map(([row]) => row)),
    write,
    append: (name, line) =>
      transaction("the conversation cannot be stored", (sql) =>
        Effect.gen(function* () {
          if (!(yield* isOurs(sql, name))) return "failed" as const
          const [row] = yield* sql<{ n: number }>`
            update mcp_live.conversations set turns = turns + 1, updated_at = now()
            where name = ${name} returning turns - 1 as n`
          if (row === undefined) return "gone" as const
          yield* sql`insert into mcp_live.conversation_lines (name, n, line) values (${name}, ${row.n}::int, ${line})`
          return "kept" as const
        })
      ),
    remove: (name) =>
      run(
        "the conversation cannot be removed",
        (sql) => sql`delete from mcp_live.conversations where name = ${name} returning name`
      ).pipe(Effect.map((rows) => rows.length > 0)),
    headers: run(
      "conversations cannot be listed",
      (sql) => sql<{ header: string }>`select header from mcp_live.conversations where turns > 0`
    ).pipe(Effect.map((rows) => rows.map(({ header }) => header))),
    take: (name) =>
      Effect.map(leases.take(leaseOf(name), "the conversation cannot be opened"), (taken) => {
        if (taken._tag === "Theirs") return { node: taken.node }
        const { lease } = taken
        held.set(name, lease)
        const release = () => {
          if (held.get(name) === lease) held.delete(name)
          lease.release()
        }
        return { lease: { ...lease, release } }
      })
  })
})

/** Conversations in the database of the fleet. */
export const layer: Layer.Layer<ConversationStore, never, Database | Leases> = Layer.effect(ConversationStore, make)
