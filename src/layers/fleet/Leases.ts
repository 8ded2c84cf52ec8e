/**
 * Leases as rows of the database, whose clock alone counts. One statement a second renews all leases of a node. A lease that is given back is
 * said to those who wait.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import { LEASE_BEAT_MS, LEASE_MS, LEASE_POLL_MS } from "../../schemas/defaults/FleetStores.ts"
import { Database } from "../../services/fleet/Database.ts"
import { Leases, type Lease, type Taken } from "../../services/fleet/Leases.ts"
import { again } from "../../system/rounds.ts"

const SUBJECT = "leases"

interface Held {
  readonly name: string
  /** By the clock of this process, and before it ends in the database. */
  until: number
}

export interface Options {
  /** The name of this node, for those who wait. */
  readonly node: string
}

const make = Effect.fnUntraced(function* ({ node }: Options) {
  const { heard, isAway, run, say } = yield* Database
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  /** By holder, which is another one for each lease. */
  const leases = new Map<string, Held>()
  const given = yield* Queue.unbounded<{ readonly name: string; readonly holder: string }>()

  const release = (holder: string) => {
    const held = leases.get(holder)
    if (held === undefined || !leases.delete(holder)) return
    Queue.offerUnsafe(given, { name: held.name, holder })
  }

  const leaseOf = (holder: string): Lease => ({
    holder,
    isOurs: () => (leases.get(holder)?.until ?? 0) > now(),
    release: () => release(holder)
  })

  const take = Effect.fnUntraced(function* (name: string, detail: string) {
    const holder = `${node} ${randomUUID()}`
    const asked = now()
    const [row] = yield* run(detail, (sql) =>
      Effect.gen(function* () {
        const taken = yield* sql<{ holder: string }>`
          insert into mcp_live.leases as lease (name, holder, until)
          values (${name}, ${holder}, clock_timestamp() + make_interval(secs => ${LEASE_MS / 1000}::float8))
          on conflict (name) do update set holder = excluded.holder, until = excluded.until
          where lease.until < clock_timestamp()
          returning holder`
        if (taken.length > 0) return taken
        // In a statement of its own: the first one does not see who has taken it while it waited.
        return yield* sql<{ holder: string }>`select holder from mcp_live.leases where name = ${name}`
        // It was given back in between: it may be had now.
      }).pipe(Effect.repeat({ until: (rows) => rows.length > 0 }))
    ).pipe(
      // It may have been taken all the same.
      Effect.onError(() => Effect.sync(() => Queue.offerUnsafe(given, { name, holder })))
    )
    if (row?.holder !== holder) {
      return { _tag: "Theirs", node: row?.holder.split(" ")[0] ?? "" } satisfies Taken
    }
    leases.set(holder, { name, until: asked + LEASE_MS })
    return { _tag: "Ours", lease: leaseOf(holder) } satisfies Taken
  }, Effect.uninterruptible)

  // ---- renewing and giving back ------------------------------------------------------------------------------------

  const renew = Effect.suspend(() => {
    if (leases.size === 0 || isAway()) return Effect.void
    const asked = now()
    const holders = [...leases.keys()]
    return run(
      "leases cannot be renewed",
      (sql) => sql<{ holder: string }>`
        update mcp_live.leases set until = clock_timestamp() + make_interval(secs => ${LEASE_MS / 1000}::float8)
        where ${sql.in("holder", holders)} returning holder`
    ).pipe(
      Effect.tap((rows) =>
        Effect.sync(() => {
          const ours = new Set(rows.map(({ holder }) => holder))
          for (const holder of holders) {
            const held = leases.get(holder)
            if (held !== undefined && ours.has(holder)) held.until = asked + LEASE_MS
            else leases.delete(holder)
          }
        })
      ),
      Effect.ignore
    )
  })

  /** One that cannot be given back ends by itself. */
  const giveBack = Effect.flatMap(Queue.takeAll(given), (back) =>
    Effect.ignore(
      run("leases cannot be given back", (sql) =>
        Effect.andThen(
          sql`delete from mcp_live.leases where ${sql.in(
            "holder",
            back.map(({ holder }) => holder)
          )}`,
          Effect.forEach(
            back.filter(({ holder }) => !leases.has(holder)),
            ({ name }) => say(sql, SUBJECT, name),
            { discard: true }
          )
        )
      )
    )
  )

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      for (const holder of leases.keys()) release(holder)
      return Effect.andThen(Queue.offer(given, { name: "", holder: "" }), giveBack)
    })
  )
  yield* Effect.forkScoped(again("fleet: giving back leases", Queue.peek(given), Effect.uninterruptible(giveBack)))
  yield* Effect.forkScoped(again("fleet: the renewal of leases", LEASE_BEAT_MS, renew))

  // ---- waiting -----------------------------------------------------------------------------------------------------

  const saidOf = (name: string) =>
    heard(SUBJECT).pipe(
      Stream.filter((change) => change._tag === "said" && change.text === name),
      Stream.take(1),
      Stream.runDrain,
      Effect.timeoutOption(LEASE_POLL_MS)
    )

  const hold = Effect.fnUntraced(function* (name: string, detail: string, waitMs: number) {
    const until = now() + waitMs
    const lease = Effect.gen(function* () {
      while (true) {
        const taken = yield* take(name, detail)
        if (taken._tag === "Ours") return taken.lease
        if (now() >= until) return yield* Effect.fail(`node '${taken.node}' is using them and does not finish`)
        yield* Effect.interruptible(saidOf(name))
      }
    })
    return yield* Effect.acquireRelease(lease, (own) => Effect.sync(own.release))
  })

  return Leases.of({ take, hold })
})

/** Leases in the database of the fleet. */
export const layer = (options: Options): Layer.Layer<Leases, never, Database> => Layer.effect(Leases, make(options))
