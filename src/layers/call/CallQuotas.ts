/**
 * Counts the calls of people for their quotas. Other processes count in the same store, so calls are taken there before they are made: one at a time
 * at first and when few are left, else some ahead, so that most calls ask nobody. What was taken and not used is given back.
 *
 * While the store cannot be reached, this process counts by what it knows, and tells the store later.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import { RateLimited } from "../../schemas/call/CallError.ts"
import { isTerminal } from "../../schemas/call/Caller.ts"
import {
  ALL_TOOLS,
  quotasFor,
  type Counted,
  type PersonLimits,
  type Quota,
  type QuotaAsk,
  type QuotaGiven
} from "../../schemas/call/Quota.ts"
import { dataDirectory } from "../../schemas/config/DataDirectory.ts"
import {
  QUOTA_AHEAD_MAX,
  QUOTA_EMPTY_MS,
  QUOTA_FILES_AT_ONCE,
  QUOTA_IDLE_MS,
  QUOTAS_AT_ONCE
} from "../../schemas/defaults/Quotas.ts"
import { CallQuotas, type Quotas } from "../../services/call/CallQuotas.ts"
import { QuotaStore } from "../../services/call/QuotaStore.ts"
import { again } from "../../system/rounds.ts"
import { quotaFiles } from "./CallQuotas/quotaFiles.ts"

export interface Options {
  /** The limits of each person who logs in as a client, as they are now. */
  readonly limits?: (() => PersonLimits | undefined) | undefined
}

/** What this process has of a quota. */
interface Local {
  quota: Quota
  /** Where the store counts it. */
  readonly place: number
  /** Granted, and not used yet. */
  left: number
  /** Used without being granted. */
  owed: number
  /** The count when the store was last asked. */
  count: number
  /** How many are taken ahead next time. */
  ahead: number
  waiting: number
  usedAt: number
  emptyUntil: number
  /** Done when the store has answered. */
  answered: Deferred.Deferred<void> | undefined
}

const make = Effect.fnUntraced(function* ({ limits = () => undefined }: Options) {
  const store = yield* QuotaStore
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const locals = new Map<string, Local>()
  /** By the place: the store is asked about each for itself. */
  const asking = new Map<number, Set<Local>>()
  const wake = yield* Queue.sliding<void>(1)

  const localOf = (quota: Quota): Local => {
    let local = locals.get(quota.name)
    if (local === undefined) {
      local = {
        quota,
        place: store.placeOf?.(quota.name) ?? 0,
        left: 0,
        owed: 0,
        count: 0,
        ahead: 0,
        waiting: 0,
        usedAt: 0,
        emptyUntil: 0,
        answered: undefined
      }
      locals.set(quota.name, local)
    }
    // The configuration may have another limit by now.
    local.quota = quota
    return local
  }

  const toAsk = (local: Local): void => {
    const others = asking.get(local.place)
    if (others === undefined) asking.set(local.place, new Set([local]))
    else others.add(local)
  }

  const ask = (local: Local): void => {
    toAsk(local)
    Queue.offerUnsafe(wake, undefined)
  }

  // ---- the store ---------------------------------------------------------------------------------------------------

  const askOf = ({ ahead, left, owed, quota: { endsAt, limit, name }, waiting }: Local): QuotaAsk => ({
    name,
    limit,
    endsAt,
    need: waiting,
    ahead: waiting === 0 ? 0 : ahead,
    back: left,
    used: owed
  })

  /** The store cannot be reached: by what is known, there is room, or not. */
  const alone = (local: Local) => {
    const room = Math.max(0, local.quota.limit - local.count - local.owed)
    const given = Math.min(room, local.waiting)
    local.owed += given
    return given
  }

  const settle = (local: Local, { need }: QuotaAsk, left: number, at: number) => {
    local.left = left
    if (left === 0 && need > 0) local.emptyUntil = at + QUOTA_EMPTY_MS
    const { answered } = local
    local.answered = undefined
    if (answered !== undefined) Deferred.doneUnsafe(answered, Effect.void)
  }

  /** The next asks about quotas of one place. */
  const nextAsked = (place: number): ReadonlyArray<Local> => {
    const all = asking.get(place) ?? new Set()
    const asked = [...all].slice(0, QUOTAS_AT_ONCE)
    for (const local of asked) all.delete(local)
    if (all.size === 0) asking.delete(place)
    return asked
  }

  /** Gives what was wrong, if something was. */
  const askedAt = (place: number): Effect.Effect<string | undefined> =>
    Effect.suspend(() => {
      const asked = nextAsked(place)
      const asks = asked.map((local) => {
        const one = askOf(local)
        // What is given back must not be used meanwhile.
        local.left = 0
        local.owed = 0
        return one
      })
      const unanswered = () => {
        for (const [index, local] of asked.entries()) {
          const one = asks[index]!
          local.owed += one.used
          settle(local, one, one.back > 0 ? one.back : alone(local), now())
        }
      }
      const answered = (given: ReadonlyArray<QuotaGiven>): undefined => {
        const at = now()
        for (const [index, local] of asked.entries()) {
          const { count, granted } = given[index]!
          local.count = count
          local.ahead = Math.min(QUOTA_AHEAD_MAX, local.ahead * 2 + 1)
          settle(local, asks[index]!, granted, at)
        }
      }
      return Effect.suspend(() => store.take(asks)).pipe(
        Effect.onError(() => Effect.sync(unanswered)),
        Effect.match({ onFailure: (detail) => detail, onSuccess: answered })
      )
    })

  const round = Effect.suspend(() =>
    Effect.forEach([...asking.keys()], askedAt, { concurrency: QUOTA_FILES_AT_ONCE }).pipe(
      Effect.flatMap((faults) =>
        Effect.forEach(
          new Set(faults),
          (fault) =>
            fault === undefined ? Effect.void : Effect.logWarning(`quotas are counted by this process alone: ${fault}`),
          { discard: true }
        )
      )
    )
  )

  const rounds = Effect.whileLoop({ while: () => asking.size > 0, body: () => round, step: () => undefined })

  const tidy = Effect.sync(() => {
    const at = now()
    for (const [name, local] of locals) {
      if (local.waiting > 0 || local.answered !== undefined || at - local.usedAt < QUOTA_IDLE_MS) continue
      if (local.left > 0 || local.owed > 0) ask(local)
      else locals.delete(name)
    }
  })

  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      for (const local of locals.values()) if (local.left > 0 || local.owed > 0) toAsk(local)
      return rounds
    })
  )
  const woken = Effect.suspend(() => (asking.size > 0 ? Effect.void : Queue.take(wake)))
  yield* Effect.forkScoped(again("the count of quotas", woken, round))
  yield* Effect.forkScoped(again("giving back what is left of quotas", QUOTA_IDLE_MS, tidy))

  // ---- for a call --------------------------------------------------------------------------------------------------

  const refusal = (server: string, { counts, endsAt, limit, period }: Quota, at: number): RateLimited =>
    new RateLimited({
      server,
      retryInMs: Math.max(1, endsAt - at),
      quota: { counts, limit, period, startsAgain: new Date(endsAt).toISOString() }
    })

  const waited = (server: string, mine: ReadonlyArray<Local>): Effect.Effect<void, RateLimited> =>
    Effect.suspend(() => {
      const lacking = mine.filter(({ left }) => left < 1)
      const at = now()
      const empty = lacking.find(({ emptyUntil }) => at < emptyUntil)
      if (empty !== undefined) return Effect.fail(refusal(server, empty.quota, at))
      if (lacking.length === 0) {
        for (const local of mine) local.left--
        return Effect.void
      }
      for (const local of lacking) {
        local.waiting++
        local.answered ??= Deferred.makeUnsafe()
        ask(local)
      }
      return Effect.forEach(
        lacking,
        ({ answered }) => (answered === undefined ? Effect.void : Deferred.await(answered)),
        { discard: true }
      ).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            for (const local of lacking) local.waiting--
          })
        ),
        Effect.andThen(waited(server, mine))
      )
    })

  const take: Quotas["take"] = (counted: Counted) => {
    const { caller, limits: ofServer, server } = counted
    const own = caller?.person === undefined || isTerminal(caller.person) ? undefined : limits()
    if (own === undefined && ofServer.perDay === undefined && ofServer.perMonth === undefined) return undefined
    const at = now()
    const mine = quotasFor(counted, own, at).map(localOf)
    for (const local of mine) local.usedAt = at
    if (mine.some(({ left }) => left < 1)) return waited(server, mine)
    for (const local of mine) local.left--
    return undefined
  }
  const states: Quotas["states"] = Effect.fnUntraced(
    function* (caller, servers) {
      const at = now()
      const own = caller.person === undefined || isTerminal(caller.person) ? undefined : limits()
      const asked = (server: string, ofServer: Counted["limits"]): Counted => ({
        agent: "",
        caller,
        server,
        tool: ALL_TOOLS,
        limits: ofServer
      })
      const all = [asked("", {}), ...servers.map(({ limits: ofServer, name }) => asked(name, ofServer))].flatMap(
        (one) => quotasFor(one, own, at)
      )
      const quotas = [...new Map(all.map((quota) => [quota.name, quota])).values()].slice(0, QUOTAS_AT_ONCE)
      if (quotas.length === 0) return []
      const found = yield* store.take(
        quotas.map(({ endsAt, limit, name }) => ({ name, limit, endsAt, need: 0, ahead: 0, back: 0, used: 0 }))
      )
      return quotas.map(({ counts, endsAt, limit, name, period }, i) => {
        const local = locals.get(name)
        const used = found[i]!.count - (local?.left ?? 0) + (local?.owed ?? 0)
        return { counts, endsAt, limit, period, used: Math.max(0, used) }
      })
    },
    Effect.orElseSucceed(() => [])
  )

  return { take, states } satisfies Quotas
})

/** Counts where `QuotaStore` says. */
export const layerStored = (options: Options = {}): Layer.Layer<never, never, QuotaStore> =>
  Layer.effect(CallQuotas, make(options))

/** The counts in files of the data directory. */
export const layerStore = ({ directory }: { readonly directory?: string | undefined } = {}): Layer.Layer<QuotaStore> =>
  Layer.sync(QuotaStore, () => quotaFiles(directory ?? dataDirectory()))

/** Counts in files of the data directory. */
export const layer = ({
  directory,
  ...options
}: Options & { readonly directory?: string | undefined } = {}): Layer.Layer<never> =>
  layerStored(options).pipe(Layer.provide(layerStore({ directory })))
