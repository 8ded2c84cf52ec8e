/** Whose calls are under way at the servers that live here. A question is for one of them by the same rule as for clients of one node. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ProtocolError } from "../../schemas/connection/RequestError.ts"
import { SERVE_LATE_ANSWERED_MS, SERVE_LATE_MS } from "../../schemas/defaults/Serve.ts"
import { hasNotLeft } from "../../schemas/fleet/hasNotLeft.ts"
import { type HomeCaller, HomeCallers } from "../../services/fleet/HomeServers.ts"
import { makeUnderway } from "../../system/underway.ts"

/** Whether the server does not work on it any more, or never has. */
const isOver = (error: unknown) => hasNotLeft(error) || (error instanceof ProtocolError && error.code !== null)

const lateMs = (exit: Exit.Exit<unknown, unknown>): number =>
  Exit.isSuccess(exit) || Option.exists(Exit.findErrorOption(exit), isOver) ? SERVE_LATE_ANSWERED_MS : SERVE_LATE_MS

const make = Effect.sync(() => {
  const calls = makeUnderway<HomeCaller>()
  return HomeCallers.of({
    calling: (key, caller, call) => calls.during(key, { exchange: caller, client: caller.node }, call, lateMs),
    whom: (key) => Effect.map(calls.whom(key), (found) => (typeof found === "object" ? found.exchange : found))
  })
})

export const layer: Layer.Layer<HomeCallers> = Layer.effect(HomeCallers, make)
