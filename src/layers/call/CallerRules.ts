/**
 * The rules of clients in the configuration that runs. A client is judged once, and again after a change of the rules. A condition that fails
 * is logged once for each rule and reason.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { RULE_FAILURES_REMEMBERED_MAX } from "../../schemas/defaults/Clients.ts"
import { addNewest } from "../../schemas/data/Newest.ts"
import { DEFAULT_CLIENTS } from "../../schemas/login/ClientsConfig.ts"
import { makeJudge, type Standing } from "../../schemas/login/Standing.ts"
import type { Identity } from "../../schemas/login/Identity.ts"
import { CallerRules } from "../../services/call/CallerRules.ts"
import { LiveConfig } from "../../services/config/LiveConfig.ts"

const make = Effect.gen(function* () {
  const { current, states } = yield* LiveConfig
  const lines = yield* Queue.unbounded<string>()
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(lines), (line) => Effect.logWarning(line))))
  const told = new Set<string>()

  const tell = ({ matched }: Standing): void => {
    for (const { failed, place } of matched) {
      const line = `the condition of ${place} failed (${failed}): the rule grants nothing, and what it denies and asks holds`
      if (failed === undefined || told.has(line)) continue
      addNewest(told, line, RULE_FAILURES_REMEMBERED_MAX)
      Queue.offerUnsafe(lines, line)
    }
  }
  const judge = makeJudge(() => (current().clients ?? DEFAULT_CLIENTS).rules, tell)

  return {
    of: (identity: Identity | undefined) => (identity === undefined ? undefined : judge(identity)),
    changes: Stream.map(Stream.drop(states, 1), () => undefined)
  }
})

/** The rules of the configuration that runs. */
export const layer: Layer.Layer<never, never, LiveConfig> = Layer.effect(CallerRules, make)
