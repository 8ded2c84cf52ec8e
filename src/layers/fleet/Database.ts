/**
 * The database of the fleet: a bounded number of connections, tables of this version, and an answer within a bounded time. A database that
 * cannot be used when a node starts is a `FleetRefused` with one sentence; one that is away later is a `DatabaseAway` for each statement.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Result from "effect/Result"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import {
  DATABASE_ANSWER_MS,
  DATABASE_CONNECT_MS,
  DATABASE_CONNECTIONS,
  DATABASE_IDLE_TRANSACTION_MS,
  DATABASE_KEEPALIVE_MS,
  DATABASE_LOCK_MS,
  DATABASE_PROBE_MS,
  DATABASE_STATEMENT_MS,
  DATABASE_TRANSACTION_TRIES
} from "../../schemas/defaults/Fleet.ts"
import { DatabaseAway, FleetRefused } from "../../schemas/fleet/FleetError.ts"
import { Database, type Run, type Sql } from "../../services/fleet/Database.ts"
import { makeCircuit } from "./Database/circuit.ts"
import { meansAgain, meansAway, meansBusy, meansRefused, NO_ADDRESS, placeOf, refusal } from "./Database/faults.ts"
import { makeHeard, say } from "./Database/heard.ts"
import { makeLane } from "./Database/lane.ts"
import { type Joining, migrate } from "./Database/migrate.ts"

export interface Options extends Joining {
  /** `postgres://user:password@host:port/name`. */
  readonly url: Redacted.Redacted<string>
  /** Of all that have tables there, for whoever looks at `pg_stat_activity`. */
  readonly node: string
  readonly connections?: number | undefined
}

const configOf = ({ node, url }: Options) => ({
  url,
  applicationName: `mcp-live ${node}`,
  connectTimeout: DATABASE_CONNECT_MS,
  keepAlive: DATABASE_KEEPALIVE_MS,
  startupParameters: {
    statement_timeout: String(DATABASE_STATEMENT_MS),
    lock_timeout: String(DATABASE_LOCK_MS),
    // A node that froze in the middle of a transaction keeps its locks no longer than this.
    idle_in_transaction_session_timeout: String(DATABASE_IDLE_TRANSACTION_MS),
    // What statements count on, whatever the operator has set for the database: days are texts as ISO has them, and whoever has waited for
    // a lock sees what was decided before.
    DateStyle: "ISO, YMD",
    default_transaction_isolation: "read committed"
  }
})

const make = Effect.fnUntraced(function* (options: Options) {
  const scope = yield* Effect.scope
  const config = configOf(options)
  const url = Redacted.value(options.url)
  if (placeOf(url) === undefined) return yield* new FleetRefused({ detail: NO_ADDRESS })
  const { connections = DATABASE_CONNECTIONS } = options
  const pool = { ...config, maxConnections: Math.max(1, connections - 2), idleTimeout: "1 minute" as const }
  // Nothing of a statement is in a trace: there are too many of them, and they say nothing of the call.
  const sql = yield* PgClient.make(pool).pipe(Effect.provide(Reactivity.layer), Effect.orDie)
  const fleetId = yield* migrate(sql, options).pipe(
    Effect.withTracerEnabled(false),
    Effect.mapError((error) => (isSqlError(error) ? refusal(url, error) : error))
  )

  const probe = Effect.flatMap(PgConnection.make(config), (connection) => connection.query("select 1"))
  const circuit = yield* makeCircuit(probe)
  const heard = yield* makeHeard(PgConnection.make(config))
  const away = (detail: string) => new DatabaseAway({ detail, retryInMs: 2 * DATABASE_PROBE_MS })

  const failed = (detail: string, error: SqlError) => {
    if (meansAway(error)) return Effect.andThen(circuit.open(error.message), Effect.fail(away(detail)))
    return meansBusy(error) ? Effect.fail(away(detail)) : Effect.die(error)
  }

  /**
   * What was sent to a database that does not answer is given up only after seconds: that happens apart, so that neither a time limit nor
   * a caller who goes waits for it.
   */
  const within = <A, E, R>(detail: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseAway, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkIn(restore(Effect.withTracerEnabled(work, false)), scope, {
          startImmediately: true
        })
        const giveUp = Effect.forkIn(Fiber.interrupt(fiber), scope)
        const answer = Fiber.join(fiber).pipe(
          Effect.timeoutOrElse({
            duration: DATABASE_ANSWER_MS,
            orElse: () =>
              giveUp.pipe(Effect.andThen(circuit.open("no answer in time")), Effect.andThen(Effect.fail(away(detail))))
          })
        )
        return yield* restore(answer).pipe(Effect.onInterrupt(() => giveUp))
      })
    )

  const run: Run = (detail, work) =>
    Effect.suspend(() => {
      if (circuit.isAway()) return Effect.fail(away(detail))
      const asked = Effect.catchDefect(within(detail, work(sql)), (defect) =>
        // A transaction whose connection has broken cannot be rolled back, which the client takes for a defect.
        isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect)
      )
      return Effect.flatMap(Effect.result(asked), (result) => {
        if (Result.isSuccess(result)) return Effect.succeed(result.success)
        const { failure } = result
        return isSqlError(failure) ? failed(detail, failure) : Effect.fail(failure as never)
      })
    })

  const transaction: Run = (detail, work) =>
    run(detail, (client: Sql) =>
      client.withTransaction(work(client)).pipe(
        Effect.retry({
          times: DATABASE_TRANSACTION_TRIES - 1,
          while: (error) => isSqlError(error) && meansAgain(error)
        })
      )
    )

  return Database.of({
    fleetId,
    run,
    transaction,
    lane: makeLane({ connect: PgConnection.make(config), isAway: circuit.isAway, away, failed }),
    heard,
    say,
    isRefused: meansRefused,
    isAway: circuit.isAway,
    states: circuit.states,
    away
  })
})

/** The database of the fleet. Its tables are brought to this version first. */
export const layer = (options: Options): Layer.Layer<Database, FleetRefused> => Layer.effect(Database, make(options))
