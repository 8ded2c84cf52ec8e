/** What nodes say to each other by way of the database: one connection for all subjects, opened with the first and again after it broke. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as PubSub from "effect/PubSub"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { DATABASE_LISTEN_RETRY_MS } from "../../../schemas/defaults/Fleet.ts"
import type { Heard } from "../../../services/fleet/Database.ts"
import { untilDone } from "../../../system/rounds.ts"

const CHANNEL = "mcp_live"

const Said = Schema.fromJsonString(Schema.Tuple([Schema.String, Schema.String]))
const decode = Schema.decodeUnknownOption(Said)

type Told = { readonly subject: string | undefined; readonly heard: Heard }

export const say = (sql: PgClient, subject: string, text: string): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql`select pg_notify(${CHANNEL}, ${JSON.stringify([subject, text])})`)

export const makeHeard = Effect.fnUntraced(function* (
  connect: Effect.Effect<PgConnection, SqlError, Scope.Scope>
): Effect.fn.Return<(subject: string) => Stream.Stream<Heard>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const told = yield* PubSub.unbounded<Told>()
  let isListening = false
  let isStarted = false

  const toAll = (heard: Heard) =>
    Effect.suspend(() => {
      isListening = heard._tag === "listening"
      return PubSub.publish(told, { subject: undefined, heard })
    })

  const connection = Effect.gen(function* () {
    const queue = yield* Effect.flatMap(connect, (connected) => connected.listen(CHANNEL))
    yield* toAll({ _tag: "listening" })
    while (true) {
      const { payload } = yield* Queue.take(queue)
      const said = decode(payload)
      if (Option.isNone(said)) continue
      const [subject, text] = said.value
      yield* PubSub.publish(told, { subject, heard: { _tag: "said", text } })
    }
  }).pipe(
    Effect.scoped,
    Effect.ensuring(Effect.suspend(() => (isListening ? toAll({ _tag: "deaf" }) : Effect.void))),
    Effect.retry(Schedule.spaced(DATABASE_LISTEN_RETRY_MS))
  )

  const start = Effect.suspend(() => {
    if (isStarted) return Effect.void
    isStarted = true
    const hearing = untilDone("fleet: hearing what nodes say", DATABASE_LISTEN_RETRY_MS, connection)
    return Effect.forkIn(hearing, scope)
  })

  return (subject) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const subscription = yield* PubSub.subscribe(told)
        yield* start
        const now: ReadonlyArray<Heard> = isListening ? [{ _tag: "listening" }] : []
        return Stream.concat(
          Stream.fromIterable(now),
          Stream.fromSubscription(subscription).pipe(
            Stream.filter((each) => each.subject === undefined || each.subject === subject),
            Stream.map(({ heard }) => heard)
          )
        )
      })
    )
})
