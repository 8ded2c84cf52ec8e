/** Servers whose lists are still unknown: a name may belong to one of them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ServerUnavailable } from "../../../schemas/call/CallError.ts"
import type { AgentServer } from "./AgentServer.ts"

export const isUnknown = ({ config, supervised }: AgentServer) =>
  config.enabled && supervised.snapshot().catalogue === undefined

/** Starts them, or waits for them. Returns why one of them is unavailable, if so. */
export const bringUp = (servers: ReadonlyArray<AgentServer>): Effect.Effect<ServerUnavailable | undefined> =>
  Effect.map(
    Effect.forEach(servers.filter(isUnknown), ({ supervised }) => Effect.result(supervised.use(() => Effect.void)), {
      concurrency: "unbounded"
    }),
    (outcomes) => outcomes.find(Result.isFailure)?.failure
  )
