/** The servers that are reached from here: those of agents, and those that clients have to themselves. */
import * as Effect from "effect/Effect"
import { processOf } from "../../schemas/connection/Isolation.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { Own } from "./own.ts"

/** The revision in which servers ask in their responses. */
const ASKS_IN_ANSWERS = "2026-07-28"

/** Checks the negotiated revision of a server, over the servers of agents and clients. */
export const asksInAnswers = (reached: Iterable<Own>) =>
  Effect.fnUntraced(function* (server: ServerConfig) {
    const process = processOf(server)
    for (const { agent, runtime } of reached) {
      const own = agent().servers.find((one) => processOf(one) === process)
      if (own === undefined) continue
      const { protocolVersion } = (yield* (yield* runtime).status)[own.name] ?? { protocolVersion: null }
      if (protocolVersion !== null) return protocolVersion >= ASKS_IN_ANSWERS
    }
    return false
  })

/** All who have it share one, so that the first of them is enough. */
export const startAgain =
  (reached: Iterable<Own>) =>
  (server: ServerConfig): Effect.Effect<void> =>
    Effect.gen(function* () {
      for (const { agent, runtime } of reached) {
        const own = agent().servers.find((one) => processOf(one) === processOf(server))
        if (own === undefined) continue
        const { inspect, reset } = yield* runtime
        const state = (yield* inspect(own.name))?.snapshot.state._tag
        if (state === "Failed" || state === "Backoff") yield* reset(own.name)
        return
      }
    })
