/** Waits, not for long, for servers that are starting when tools are listed for the first time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { isOwn } from "../../../schemas/connection/Isolation.ts"
import { FIRST_LIST_WAIT_MS } from "../../../schemas/defaults/Connections.ts"
import type { AgentServer } from "./AgentServer.ts"

/** Its lists are still unknown. */
export const isUnseen = ({ supervised }: AgentServer): boolean => supervised.snapshot().catalogue === undefined

/** Sequential is as fast as parallel: this starts nothing. */
const settled = (servers: ReadonlyArray<AgentServer>) =>
  Effect.forEach(servers, ({ supervised }) => supervised.settled, { discard: true })

/** Which servers may be shown to whoever lists. */
export type Wanted = (server: AgentServer) => boolean

const isAsleep = (server: AgentServer): boolean =>
  isUnseen(server) && server.supervised.snapshot().state._tag === "Idle"

export const makeOnTheirWay = Effect.fnUntraced(function* (
  servers: () => ReadonlyArray<AgentServer>,
  mostMs: number
): Effect.fn.Return<
  { readonly firstListing: (wanted: Wanted) => Effect.Effect<void>; readonly ready: Effect.Effect<void> },
  never,
  Scope.Scope
> {
  const scope = yield* Effect.scope
  const waitMs = Math.min(mostMs, FIRST_LIST_WAIT_MS)
  const begun = yield* Clock.currentTimeMillis

  /** Tools of a lazy server cannot be called while they are unknown, so it is started to be listed. */
  const wake = (asleep: ReadonlyArray<AgentServer>) =>
    Effect.forEach(asleep, ({ supervised }) => supervised.wake, { discard: true })

  /** The limit counts from the start, so servers that were starting from the beginning get no extra time. */
  const settleSoon = Effect.fnUntraced(function* (wanted: Wanted) {
    const present = servers().filter(wanted)
    const asleep = present.filter(isAsleep)
    const left = Math.max(0, begun + waitMs - (yield* Clock.currentTimeMillis))
    yield* wake(present.filter(isUnseen))
    yield* Effect.all([Effect.timeoutOption(settled(asleep), waitMs), Effect.timeoutOption(settled(present), left)], {
      concurrency: "unbounded"
    })
  })

  let first: Fiber.Fiber<unknown> | undefined
  /** Whoever lists later may be shown more of the servers that are their own: their rules have changed. */
  const settleMore = (wanted: Wanted) =>
    Effect.suspend(() => {
      const asleep = servers().filter((server) => isOwn(server.config) && isAsleep(server) && wanted(server))
      return asleep.length === 0
        ? Effect.void
        : Effect.andThen(wake(asleep), Effect.asVoid(Effect.timeoutOption(settled(asleep), waitMs)))
    })

  const firstListing = (wanted: Wanted): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (first !== undefined) return Effect.andThen(Fiber.await(first), settleMore(wanted))
      return settleSoon(wanted).pipe(
        Effect.forkIn(scope),
        Effect.tap((fiber) => Effect.sync(() => (first = fiber))),
        Effect.flatMap(Fiber.await),
        Effect.asVoid
      )
    })

  return { firstListing, ready: Effect.suspend(() => settled(servers())) }
})
