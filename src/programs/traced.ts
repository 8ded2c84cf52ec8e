/** Traces of messages in the log, for commands with `--verbose`. */
import * as Effect from "effect/Effect"
import { performance } from "node:perf_hooks"
import { makeTrace, NO_TRACE, type MessageTrace } from "../schemas/listener/MessageTrace.ts"

/** Written at once, so that the lines are in the order of events. */
export const traceOf = (verbose: boolean, name: string): Effect.Effect<MessageTrace> =>
  verbose
    ? Effect.map(Effect.context<never>(), (services) => {
        const run = Effect.runSyncWith(services)
        return makeTrace({ name, now: () => performance.now(), log: (line) => run(Effect.logInfo(line)) })
      })
    : Effect.succeed(NO_TRACE)
