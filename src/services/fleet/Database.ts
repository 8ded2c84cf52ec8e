/**
 * The database that the nodes of a fleet share. A statement either runs, or fails with `DatabaseAway`: while the database is away that takes
 * no time, because one attempt to reach it stands for all. Its tables are in the schema `mcp_live`, and are named with it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { PgClient } from "@effect/sql-pg/PgClient"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"

/**
 * `said`: somebody said it, maybe this node itself. `listening`: from now on nothing is missed; what was said before may have been, so read
 * what it was about. `deaf`: what is said now is missed, until `listening`.
 */
export type Heard =
  | { readonly _tag: "said"; readonly text: string }
  | { readonly _tag: "listening" }
  | { readonly _tag: "deaf" }

/** What a statement is run with. */
export type Sql = PgClient

/** Runs statements. `detail` is what is not possible while the database is away: "the approval cannot be stored". */
export type Run = <A, E, R>(
  detail: string,
  work: (sql: Sql) => Effect.Effect<A, E | SqlError, R>
) => Effect.Effect<A, Exclude<E, SqlError> | DatabaseAway, R>

/** Statements that return nothing, one after the other. The database answers before it has them on its disk. */
export interface Lane {
  /** May run a statement twice if the connection breaks. */
  readonly run: (
    detail: string,
    statement: string,
    parameters: ReadonlyArray<unknown>
  ) => Effect.Effect<void, DatabaseAway>
}

/** The database that the nodes of a fleet share. */
export class Database extends Context.Service<
  Database,
  {
    /** Of the fleet: made when the database was used for the first time. */
    readonly fleetId: string
    readonly run: Run
    /** The same in one transaction, which is run again when others got in its way: `work` must have no effect outside of the database. */
    readonly transaction: Run
    /** A connection of its own, for what calls wait for. For the caller's Scope. */
    readonly lane: Effect.Effect<Lane, never, Scope.Scope>
    /** What is said about a subject, beginning with `listening` as soon as this is so. One connection serves all subjects of a node. */
    readonly heard: (subject: string) => Stream.Stream<Heard>
    /** Says something short to all nodes, this one included, when the transaction commits. For use in `run` and `transaction`. */
    readonly say: (sql: Sql, subject: string, text: string) => Effect.Effect<void, SqlError>
    /** Whether a statement died of what was to be written: then it would die of it each time. */
    readonly isRefused: (defect: unknown) => boolean
    /** A plain function, for the path of a call. */
    readonly isAway: () => boolean
    /** The state now, and each later one. */
    readonly states: Stream.Stream<"here" | "away">
    /** The error of what is not possible while the database is away. */
    readonly away: (detail: string) => DatabaseAway
  }
>()("mcp-live/services/Database") {}
