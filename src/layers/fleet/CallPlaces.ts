/**
 * Calls in flight to a server from all nodes. Each node has a number of the server's places, takes more when it needs them, and gives back what
 * it does not use. One statement a second renews the places of a node for all servers; those of a dead node are free some seconds later.
 *
 * While the database is away, a node uses the places that it has, and at least its share.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { createHash } from "node:crypto"
import { Overloaded } from "../../schemas/call/CallError.ts"
import {
  LEASE_BEAT_MS,
  LEASE_MS,
  PLACES_AHEAD,
  TOKENS_SETTLE_MS,
  TOKENS_WAIT_MS
} from "../../schemas/defaults/FleetStores.ts"
import { CallPlaces } from "../../services/call/CallPlaces.ts"
import type { LimitedCaller } from "../../services/call/CallLimiter.ts"
import { Database } from "../../services/fleet/Database.ts"
import { again, following } from "../../system/rounds.ts"

export interface Options {
  /** The name of this node. */
  readonly node: string
  /** How many nodes there are, for the share of each. */
  readonly nodes: () => number
  /** A call that waits longer for a place counts by the share of this node. */
  readonly waitMs?: number | undefined
}

/** The places of one server. */
interface Local {
  readonly key: string
  limit: number
  inFlight: number
  /** The most at once since the last question. */
  peak: number
  has: number
  isAsked: boolean
  /** Whether there is a place; `undefined`: the database did not answer. */
  readonly waiting: Array<Deferred.Deferred<boolean | undefined>>
}

interface Asked {
  readonly local: Local
  readonly row: { readonly server: string; readonly want: number; readonly used: number; readonly most: number }
}

interface Given {
  readonly server: string
  readonly places: number
}

const DETAIL = "calls cannot be counted"

const make = Effect.fnUntraced(function* ({ node, nodes, waitMs = TOKENS_WAIT_MS }: Options) {
  const { isAway, run, states } = yield* Database
  const clock = yield* Clock.Clock
  /** By the process of the server, as callers know it. */
  const locals = new Map<string, Local>()
  const asking = new Set<Local>()
  const wake = yield* Queue.sliding<void>(1)
  /** From then on, places are taken from the database. */
  let resumesAt = 0
  const countsByShare = () => isAway() || clock.currentTimeMillisUnsafe() < resumesAt

  const localOf = ({ process }: LimitedCaller, limit: number): Local => {
    let local = locals.get(process)
    if (local === undefined) {
      const key = createHash("sha256").update(process).digest("hex")
      local = { key, limit, inFlight: 0, peak: 0, has: 0, isAsked: false, waiting: [] }
      locals.set(process, local)
    }
    local.limit = limit
    return local
  }

  const ask = (local: Local) => {
    if (local.isAsked) return
    local.isAsked = true
    asking.add(local)
    Queue.offerUnsafe(wake, undefined)
  }

  /** Some more than are in use, so that not each call asks. */
  const wantOf = ({ inFlight, limit, peak }: Local): number => {
    const most = Math.max(inFlight, peak)
    return most === 0 ? 0 : Math.min(limit, most + Math.ceil(most * PLACES_AHEAD))
  }

  const settle = (asked: ReadonlyArray<Asked>, rows: ReadonlyArray<Given> | undefined) => {
    const found = new Map(rows?.map(({ places, server }) => [server, places]))
    for (const { local, row } of asked) {
      local.isAsked = false
      local.has = found.get(local.key) ?? local.has
      const waiting = local.waiting.splice(0)
      const free = local.has - (local.inFlight - waiting.length)
      const served = waiting.splice(0, rows === undefined ? waiting.length : Math.max(0, free))
      const isFull = local.has < row.want || local.has >= local.limit
      // They came after the question.
      if (!isFull && !countsByShare()) local.waiting.push(...waiting.splice(0))
      if (local.waiting.length > 0) ask(local)
      for (const one of served) Deferred.doneUnsafe(one, Effect.succeed(rows === undefined ? undefined : true))
      for (const one of waiting) Deferred.doneUnsafe(one, Effect.succeed(isFull ? false : undefined))
    }
  }

  const round = Effect.suspend(() => {
    const now = [...asking]
    if (now.length === 0) return Effect.void
    asking.clear()
    const asked = now.map((local): Asked => {
      const used = local.inFlight - local.waiting.length
      const want = countsByShare() ? used : wantOf(local)
      local.peak = local.inFlight
      return { local, row: { server: local.key, want, used, most: local.limit } }
    })
    return run(
      DETAIL,
      (sql) => sql<Given>`
        select server, places
        from mcp_live.take_places_1(${sql.json(asked.map(({ row }) => row))}, ${node}, ${LEASE_MS / 1000}::float8)`
    ).pipe(
      Effect.map((given) => settle(asked, given)),
      Effect.onError(() => Effect.sync(() => settle(asked, undefined))),
      Effect.ignore
    )
  })
  const asked = Effect.suspend(() => (asking.size > 0 ? Effect.void : Queue.take(wake)))

  /** Renews what is used and gives back the rest. */
  const beat = Effect.sync(() => {
    if (isAway()) return
    for (const [process, local] of locals) {
      if (local.inFlight > 0 || local.peak > 0 || local.has > 0) ask(local)
      else if (!local.isAsked) locals.delete(process)
    }
  })

  /** Each node tells what it uses. Until all have, there are places that are used: shares count on. */
  const heard = (state: "here" | "away") =>
    Effect.sync(() => {
      if (state === "away") return void (resumesAt = Number.POSITIVE_INFINITY)
      if (resumesAt === 0) return
      resumesAt = clock.currentTimeMillisUnsafe() + TOKENS_SETTLE_MS
      for (const local of locals.values()) if (local.inFlight > 0) ask(local)
    })

  yield* Effect.addFinalizer(() =>
    Effect.ignore(run(DETAIL, (sql) => sql`delete from mcp_live.call_places where node = ${node}`))
  )
  yield* Effect.forkScoped(again("fleet: the count of calls in flight", asked, round))
  yield* Effect.forkScoped(again("fleet: the renewal of places for calls", LEASE_BEAT_MS, beat))
  yield* Effect.forkScoped(following("fleet: the count of calls in flight after an outage", states, heard))

  const full = ({ server }: LimitedCaller, { limit }: Local) => Effect.fail(new Overloaded({ server, limit }))

  const byShare = (caller: LimitedCaller, local: Local): Effect.Effect<void, Overloaded> | undefined => {
    const share = Math.max(local.has, Math.ceil(local.limit / Math.max(1, nodes())))
    return local.inFlight <= share ? undefined : full(caller, local)
  }

  const waited = (caller: LimitedCaller, local: Local) =>
    Effect.suspend(() => {
      const waiting = Deferred.makeUnsafe<boolean | undefined>()
      local.waiting.push(waiting)
      ask(local)
      return Deferred.await(waiting).pipe(
        Effect.timeoutOrElse({ duration: waitMs, orElse: () => Effect.undefined }),
        Effect.onExit(() =>
          Effect.sync(() => {
            const index = local.waiting.indexOf(waiting)
            if (index !== -1) local.waiting.splice(index, 1)
          })
        ),
        Effect.flatMap((isThere): Effect.Effect<void, Overloaded> => {
          if (isThere === true) return Effect.void
          return isThere === false ? full(caller, local) : (byShare(caller, local) ?? Effect.void)
        })
      )
    })

  return CallPlaces.of({
    enter: (caller, limit) => {
      const local = localOf(caller, limit)
      local.inFlight++
      local.peak = Math.max(local.peak, local.inFlight)
      if (local.inFlight <= local.has) return undefined
      return countsByShare() ? byShare(caller, local) : waited(caller, local)
    },
    leave: ({ process }) => {
      const local = locals.get(process)
      if (local !== undefined) local.inFlight--
    }
  })
})

/** One number of calls in flight for all nodes of the fleet. */
export const layer = (options: Options): Layer.Layer<CallPlaces, never, Database> =>
  Layer.effect(CallPlaces, make(options))
