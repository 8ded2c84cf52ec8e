/**
 * The rate of calls over all nodes: one bucket in the database for all. A node does not ask for each call: it takes tokens ahead for about a
 * second of calls, fewer when few are left, and gives back what it did not use. One statement takes tokens for all buckets that need some.
 *
 * While the database is away, each node counts with its share of the limit, and reports what it used when the database is back.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { createHash } from "node:crypto"
import { RateLimited } from "../../schemas/call/CallError.ts"
import { windowOf } from "../../schemas/call/TokenBucket.ts"
import {
  TOKENS_BUCKETS_AT_ONCE,
  TOKENS_IDLE_MS,
  TOKENS_SETTLE_MS,
  TOKENS_SWEEP_MS,
  TOKENS_WAIT_MS
} from "../../schemas/defaults/FleetStores.ts"
import * as Duration from "effect/Duration"
import { bucketKey, type LimitedCaller } from "../../services/call/CallLimiter.ts"
import { CallTokens } from "../../services/call/CallTokens.ts"
import { Database } from "../../services/fleet/Database.ts"
import { again, following } from "../../system/rounds.ts"
import { askOf, granted, makeLocal, refused, type Ask, type Local } from "./CallTokens/local.ts"
import { reported, shareOf, takeShare } from "./CallTokens/share.ts"

export interface Options {
  /** How many nodes there are, for the share of each. */
  readonly nodes: () => number
  /** A call that waits longer for tokens counts by the share of this node. */
  readonly waitMs?: number | undefined
}

interface Given {
  readonly bucket: string
  readonly granted: number
  readonly rest: number
}

const DETAIL = "calls cannot be counted"

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const refusal = ({ server }: LimitedCaller, ms: number): RateLimited =>
  new RateLimited({ server, retryInMs: Math.max(1, Math.ceil(ms)) })

const make = Effect.fnUntraced(function* ({ nodes, waitMs: mostMs = TOKENS_WAIT_MS }: Options) {
  const { isAway, run, states } = yield* Database
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const locals = new Map<string, Local>()
  // A caller object is reused, so its key, which is long, is hashed once.
  const keys = new WeakMap<LimitedCaller, string>()
  /** Those that need tokens, or give some back. */
  const asking = new Set<Local>()
  const wake = yield* Queue.sliding<void>(1)
  /** From then on, calls are counted in the database. */
  let resumesAt = 0
  const countsByShare = (at: number) => isAway() || at < resumesAt

  const keyOf = (caller: LimitedCaller): string => {
    let key = keys.get(caller)
    if (key === undefined) keys.set(caller, (key = hashOf(bucketKey(caller))))
    return key
  }

  const localOf = (caller: LimitedCaller, at: number): Local => {
    const key = keyOf(caller)
    let local = locals.get(key)
    if (local === undefined) locals.set(key, (local = makeLocal(key, caller.limits, at)))
    local.limits = caller.limits
    return local
  }

  const ask = (local: Local) => {
    if (local.isAsked) return
    local.isAsked = true
    asking.add(local)
    Queue.offerUnsafe(wake, undefined)
  }

  // ---- in the database ---------------------------------------------------------------------------------------------

  const statement = (asks: ReadonlyArray<Ask>) =>
    run(
      DETAIL,
      (sql) =>
        sql<Given>`select bucket, granted, rest from mcp_live.take_tokens_1(${sql.json(asks.map(({ row }) => row))})`
    )

  const settle = (asks: ReadonlyArray<Ask>, rows: ReadonlyArray<Given>) => {
    const at = now()
    const found = new Map(rows.map((row) => [row.bucket, row]))
    for (const { local, row } of asks) {
      const given = found.get(row.bucket)
      local.isAsked = false
      if (given === undefined) continue
      local.isSlow = false
      if (local.share !== undefined) local.used += reported(local.share, at)
      if (!countsByShare(at)) local.share = undefined
      if (local.used > 0) ask(local)
      granted(local, given.granted, given.rest, at)
      // Whoever goes on does so at once, and may wait for the next tokens before this ends.
      const waiting = local.waiting.splice(0)
      const served = waiting.splice(0, local.tokens)
      local.tokens -= served.length
      const isEmpty = given.rest < 1
      if (waiting.length > 0 && isEmpty) refused(local, given.rest, at)
      // They came after the question.
      if (!isEmpty) local.waiting.push(...waiting.splice(0))
      if (local.waiting.length > 0) ask(local)
      for (const one of served) Deferred.doneUnsafe(one, Effect.succeed(true))
      for (const one of waiting) Deferred.doneUnsafe(one, Effect.succeed(false))
    }
  }

  /** Whoever waits counts by the share of this node. What was to be given back is lost, which lets nobody call more often. */
  const unanswered = (asks: ReadonlyArray<Ask>) => {
    for (const { local, used } of asks) {
      local.isAsked = false
      local.isSlow = false
      local.used += used
      for (const waiting of local.waiting.splice(0)) Deferred.doneUnsafe(waiting, Effect.succeed(undefined))
    }
  }

  const round = Effect.suspend(() => {
    const at = now()
    const asks = [...asking].slice(0, TOKENS_BUCKETS_AT_ONCE).map((local) => {
      asking.delete(local)
      return askOf(local, local.share === undefined ? 0 : reported(local.share, at), at)
    })
    if (asks.length === 0) return Effect.void
    return statement(asks).pipe(
      Effect.map((rows) => settle(asks, rows)),
      Effect.onError(() => Effect.sync(() => unanswered(asks))),
      Effect.ignore
    )
  })
  const asked = Effect.suspend(() => (asking.size > 0 ? Effect.void : Queue.take(wake)))

  /** Gives back what is not used, and forgets buckets that nobody uses. */
  const tidy = Effect.sync(() => {
    const at = now()
    for (const [key, local] of locals) {
      if (at - local.usedAt < TOKENS_IDLE_MS || local.waiting.length > 0) continue
      if (local.tokens > 0 || local.used > 0 || local.share !== undefined) ask(local)
      else if (!local.isAsked) locals.delete(key)
    }
  })

  /** Each node tells what it used while the database was away. Until all have, tokens are there that were used: shares count on. */
  const heard = (state: "here" | "away") =>
    Effect.sync(() => {
      if (state === "away") return void (resumesAt = Number.POSITIVE_INFINITY)
      if (resumesAt === 0) return
      resumesAt = now() + TOKENS_SETTLE_MS
      for (const local of locals.values()) if (local.share !== undefined) ask(local)
    })

  const sweep = Effect.ignore(
    run(DETAIL, (sql) => sql`delete from mcp_live.call_tokens where full_at < clock_timestamp()`)
  )

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      for (const local of locals.values())
        if (local.tokens > 0 || local.used > 0 || local.share !== undefined) ask(local)
      return Effect.whileLoop({ while: () => asking.size > 0, body: () => round, step: () => undefined })
    })
  )
  yield* Effect.forkScoped(again("fleet: the count of calls", asked, round))
  yield* Effect.forkScoped(again("fleet: giving back tokens", TOKENS_IDLE_MS, tidy))
  yield* Effect.forkScoped(again("fleet: the removal of old counts of calls", TOKENS_SWEEP_MS, sweep))
  yield* Effect.forkScoped(following("fleet: the count of calls after an outage", states, heard))

  // ---- for a call --------------------------------------------------------------------------------------------------

  const byShare = (caller: LimitedCaller, local: Local): Effect.Effect<void, RateLimited> | undefined => {
    const at = now()
    local.share ??= shareOf(local, nodes(), at)
    const waitMs = takeShare(local.share, at)
    return waitMs === undefined ? undefined : Effect.fail(refusal(caller, waitMs))
  }

  const waited = (caller: LimitedCaller, local: Local) =>
    Effect.suspend(() => {
      const waiting = Deferred.makeUnsafe<boolean | undefined>()
      local.waiting.push(waiting)
      ask(local)
      return Deferred.await(waiting).pipe(
        Effect.timeoutOrElse({
          duration: mostMs,
          orElse: () => Effect.sync(() => void (local.isSlow = true))
        }),
        Effect.onExit(() =>
          Effect.sync(() => {
            const index = local.waiting.indexOf(waiting)
            if (index !== -1) local.waiting.splice(index, 1)
          })
        ),
        Effect.flatMap((isGiven): Effect.Effect<void, RateLimited> => {
          if (isGiven === true) return Effect.void
          if (isGiven === false) return Effect.fail(refusal(caller, local.nextAt - now()))
          return byShare(caller, local) ?? Effect.void
        })
      )
    })

  return CallTokens.of({
    take: (caller) => {
      if (caller.limits.burst < 1) return Effect.fail(refusal(caller, Duration.toMillis(windowOf(caller.limits))))
      const at = now()
      const local = localOf(caller, at)
      local.usedAt = at
      local.wanted++
      if (local.tokens >= 1) {
        local.tokens--
        if (local.tokens < local.low && !countsByShare(at)) ask(local)
        return undefined
      }
      if (local.isSlow || countsByShare(at)) return byShare(caller, local)
      if (at < local.emptyUntil) return Effect.fail(refusal(caller, local.nextAt - at))
      return waited(caller, local)
    }
  })
})

/** One rate for all nodes of the fleet. */
export const layer = (options: Options): Layer.Layer<CallTokens, never, Database> =>
  Layer.effect(CallTokens, make(options))
