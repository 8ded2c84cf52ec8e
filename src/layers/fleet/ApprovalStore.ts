/**
 * Approvals for good in the database, and those for sessions: every node has them. What was found there is remembered until somebody says that it has changed, so that
 * a call that was approved costs no statement, and goes on while the database is away.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import {
  ApprovalsFailed,
  sessionKey,
  subjectKey,
  toolKey,
  type ApprovalSubject,
  type RememberedApproval
} from "../../schemas/call/Approval.ts"
import { reader } from "../../schemas/data/Lenient.ts"
import { APPROVALS_LISTED_MAX } from "../../schemas/defaults/Approvals.ts"
import { REMEMBERED_MAX, REMEMBERED_UNHEARD_MS } from "../../schemas/defaults/FleetStores.ts"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import { ApprovalStore } from "../../services/call/ApprovalStore.ts"
import { Database } from "../../services/fleet/Database.ts"
import { EVERYTHING, makeHeardCache } from "../../system/heardCache.ts"

const SUBJECT = "approvals"

const readApproval = reader(
  Schema.fromJsonString(
    Schema.Struct({
      agent: Schema.String,
      server: Schema.String,
      launch: Schema.String,
      tool: Schema.String,
      definition: Schema.String,
      approvedAt: Schema.Finite,
      personId: Schema.optionalKey(Schema.String),
      personName: Schema.optionalKey(Schema.String)
    })
  )
)

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")
const keyOf = (subject: ApprovalSubject): string => hashOf(subjectKey(subject))

const failed = ({ message }: DatabaseAway): ApprovalsFailed => new ApprovalsFailed({ detail: message })

const make = Effect.gen(function* () {
  const { heard, run, say, states, transaction } = yield* Database
  const known = yield* makeHeardCache<true>({
    heard: heard(SUBJECT),
    states,
    unheardMs: REMEMBERED_UNHEARD_MS,
    max: REMEMBERED_MAX
  })

  const removed = (detail: string, key: string | undefined) =>
    transaction(detail, (sql) =>
      (key === undefined
        ? sql`delete from mcp_live.approvals returning subject`
        : sql`delete from mcp_live.approvals where subject = ${key} returning subject`
      ).pipe(Effect.tap(() => say(sql, SUBJECT, key ?? EVERYTHING)))
    ).pipe(
      Effect.tap(() => Effect.sync(() => (key === undefined ? known.forgetAll() : known.forget(key)))),
      Effect.map((rows) => rows.length),
      Effect.mapError(failed)
    )

  return ApprovalStore.of({
    has: (subject) =>
      Effect.suspend(() => {
        const key = keyOf(subject)
        if (known.get(key) === true) return Effect.succeed(true)
        const read = run(
          "approvals cannot be read",
          (sql) => sql`select from mcp_live.approvals where subject = ${key}`
        )
        return known
          .load(
            key,
            Effect.map(read, (rows) => (rows.length > 0 ? true : undefined))
          )
          .pipe(
            Effect.map((found) => found === true),
            Effect.catch(({ message }) => Effect.as(Effect.logWarning(message), false))
          )
      }),
    hasOther: (subject) =>
      run(
        "approvals cannot be read",
        (sql) => sql`
          select from mcp_live.approvals
          where tool = ${hashOf(toolKey(subject))} and subject <> ${keyOf(subject)} limit 1`
      ).pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.orElseSucceed(() => false)
      ),
    save: ({ agent, approvedAt, definition, launch, personId, personName, server, tool }) => {
      const approval: RememberedApproval = {
        agent,
        server,
        launch,
        tool,
        definition,
        approvedAt,
        ...(personId !== undefined && { personId }),
        ...(personName !== undefined && { personName })
      }
      const key = keyOf(approval)
      return transaction("the approval cannot be stored", (sql) =>
        Effect.andThen(
          sql`
            insert into mcp_live.approvals (subject, tool, content, approved_at)
            values (${key}, ${hashOf(toolKey(approval))}, ${JSON.stringify(approval)}, ${approvedAt}::float8)
            on conflict (subject) do update set content = excluded.content, approved_at = excluded.approved_at`,
          say(sql, SUBJECT, key)
        )
      ).pipe(Effect.mapError(failed))
    },
    list: run(
      "approvals cannot be listed",
      (sql) => sql<{ content: string }>`
        select content from mcp_live.approvals order by approved_at desc limit ${APPROVALS_LISTED_MAX}::int`
    ).pipe(
      Effect.map((rows) => rows.flatMap(({ content }) => readApproval(content) ?? [])),
      Effect.mapError(failed)
    ),
    remove: (subject) => Effect.asVoid(removed("the approval cannot be removed", keyOf(subject))),
    removeAll: removed("approvals cannot be removed", undefined),
    sessions: {
      has: (session, subject) =>
        run(
          "approvals cannot be read",
          (sql) => sql`
            select from mcp_live.session_approvals where session = ${session} and subject = ${hashOf(sessionKey(subject))}`
        ).pipe(
          Effect.map((rows) => rows.length > 0),
          Effect.orElseSucceed(() => false)
        ),
      save: (session, subject) =>
        run(
          "the approval cannot be stored",
          // With the lock that the reference to the session takes afterwards: one that is about to end is waited for, and is gone then.
          (sql) => sql`
            insert into mcp_live.session_approvals (session, subject)
            select id, ${hashOf(sessionKey(subject))} from mcp_live.sessions where id = ${session} for key share
            on conflict do nothing`
        ).pipe(Effect.ignore)
    }
  })
})

/** Approvals for good in the database of the fleet. */
export const layer: Layer.Layer<ApprovalStore, never, Database> = Layer.effect(ApprovalStore, make)
