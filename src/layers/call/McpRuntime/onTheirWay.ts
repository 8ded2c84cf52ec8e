/** Waits, not for long, for servers that are starting when tools are listed for the first time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { FIRST_LIST_WAIT_MS } from "../../../schemas/defaults/Connections.ts"
import type { AgentServer } from "./AgentServer.ts"

/** Its lists are still unknown. */
export const isUnseen = ({ supervised }: AgentServer): boolean => supervised.snapshot().catalogue === undefined

/** Sequential is as fast as parallel: this starts nothing. */
const settled = (servers: ReadonlyArray<AgentServer>) =>
  Effect.forEach(servers, ({ supervised }) => supervised.settled, { discard: true })

export const makeOnTheirWay = Effect.fnUntraced(function* (
  servers: () => ReadonlyArray<AgentServer>,
  mostMs: number
): Effect.fn.Return<
  { readonly firstListing: Effect.Effect<void>; readonly ready: Effect.Effect<void> },
  never,
  Scope.Scope
> {
  const scope = yield* Effect.scope
  const waitMs = Math.min(mostMs, FIRST_LIST_WAIT_MS)
  const begun = yield* Clock.currentTimeMillis

  /** Tools of a lazy server cannot be called while they are unknown, so it is started to be listed. */
  const wakeUnseen = Effect.suspend(() =>
    Effect.forEach(servers().filter(isUnseen), ({ supervised }) => supervised.wake, { discard: true })
  )

  /** The limit counts from the start, so servers that were starting from the beginning get no extra time. */
  const settleSoon = Effect.gen(function* () {
    const present = servers()
    const asleep = present.filter((server) => isUnseen(server) && server.supervised.snapshot().state._tag === "Idle")
    const left = Math.max(0, begun + waitMs - (yield* Clock.currentTimeMillis))
    yield* wakeUnseen
    yield* Effect.all([Effect.timeoutOption(settled(asleep), waitMs), Effect.timeoutOption(settled(present), left)], {
      concurrency: "unbounded"
    })
  })

  let first: Fiber.Fiber<unknown> | undefined
  const firstListing = Effect.suspend(() => {
    if (first !== undefined) return Fiber.await(first)
    return settleSoon.pipe(
      Effect.forkIn(scope),
      Effect.tap((fiber) => Effect.sync(() => (first = fiber))),
      Effect.flatMap(Fiber.await)
    )
  })

  return { firstListing: Effect.asVoid(firstListing), ready: Effect.suspend(() => settled(servers())) }
})
