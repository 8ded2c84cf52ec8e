/** A database of a fleet that a test answers for: for time and faults, which a real one does not have at will. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import { DatabaseAway } from "../../src/schemas/fleet/FleetError.ts"
import { Database, type Run } from "../../src/services/fleet/Database.ts"

type Rows = ReadonlyArray<object>

export interface FakeDatabase {
  readonly service: Database["Service"]
  readonly layer: Layer.Layer<Database>
  /** The statements that it was given. */
  readonly statements: ReadonlyArray<string>
  /** The next statement with these words ends with a defect. */
  readonly breakOnce: (words: string) => void
  readonly become: (state: "here" | "away") => Effect.Effect<void>
}

const away = (detail: string) => new DatabaseAway({ detail, retryInMs: 1_000 })

/** `rows`: the answer to a statement with these parameters. */
export const fakeDatabase = Effect.fnUntraced(function* (
  rows: (statement: string, parameters: ReadonlyArray<unknown>) => Rows = () => []
) {
  const state = yield* SubscriptionRef.make<"here" | "away">("here")
  const isAway = () => SubscriptionRef.getUnsafe(state) === "away"
  const statements: Array<string> = []
  let broken: string | undefined

  const answer = (statement: string, parameters: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      statements.push(statement)
      if (broken === undefined || !statement.includes(broken)) return rows(statement, parameters)
      broken = undefined
      throw new Error("a mistake")
    })
  const same = (value: unknown) => value
  const sql = Object.assign(
    (strings: ReadonlyArray<string>, ...parameters: ReadonlyArray<unknown>) => answer(strings.join("?"), parameters),
    { unsafe: answer, json: same, insert: same, in: (_column: string, values: unknown) => values }
  )
  const run: Run = (detail, work) =>
    Effect.suspend(() => (isAway() ? Effect.fail(away(detail)) : (work(sql as never) as Effect.Effect<never>)))

  const service = Database.of({
    fleetId: "a fleet",
    run,
    transaction: run,
    lane: Effect.succeed({
      run: (detail, statement, parameters) => run(detail, () => Effect.asVoid(answer(statement, parameters)))
    }),
    heard: () => Stream.never,
    say: () => Effect.void,
    isRefused: () => false,
    isAway,
    states: SubscriptionRef.changes(state),
    away
  })
  return {
    service,
    layer: Layer.succeed(Database, service),
    statements,
    breakOnce: (words) => void (broken = words),
    become: (next) => SubscriptionRef.set(state, next)
  } satisfies FakeDatabase
})
