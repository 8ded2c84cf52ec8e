/** Servers that nobody has seen the lists of: what is asked for may be theirs. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ServerUnavailable } from "../../../schemas/call/CallError.ts"
import type { AgentServer } from "./AgentServer.ts"

const isUnknown = ({ config, supervised }: AgentServer) =>
  config.enabled && supervised.snapshot().catalogue === undefined

/** Wakes them, or waits for them. Gives why one of them cannot be asked, if that is so. */
export const bringUp = (servers: ReadonlyArray<AgentServer>): Effect.Effect<ServerUnavailable | undefined> =>
  Effect.map(
    Effect.forEach(servers.filter(isUnknown), ({ supervised }) => Effect.result(supervised.use(() => Effect.void)), {
      concurrency: "unbounded"
    }),
    (outcomes) => outcomes.find(Result.isFailure)?.failure
  )
