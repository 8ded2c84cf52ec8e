/**
 * What was asked for by calls that the operator lets run again, while they are under way: whoever takes over the session of a dead node runs
 * them again. Encrypted, bounded, and for the first who asks.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { REPEAT_MAX_CHARS, REPEATS_KEPT_MS, RUNS_MAX } from "../../../schemas/defaults/Fleet.ts"
import { argumentsKey } from "../../../schemas/fleet/CredentialKey.ts"
import type { JournalEntry, Origin, Repeat } from "../../../services/call/CallJournal.ts"
import type { CallsOfDead } from "../../../services/fleet/CallsOfDead.ts"
import type { Database } from "../../../services/fleet/Database.ts"
import { again } from "../../../system/rounds.ts"
import { hasRepeat, sweepRepeats, takeRepeat } from "./rows.ts"
import { sealed, unsealed } from "./sealed.ts"

export interface Repeats {
  readonly mayRepeat: (call: Pick<JournalEntry, "server" | "toolPrefix" | "tool" | "ownName">) => boolean
  /** That of the nodes: it keeps what was asked for from others. */
  readonly secret: Redacted.Redacted<string>
}

const NOT_USED = "what is kept of calls cannot be used"

interface Kept extends Pick<CallsOfDead["Service"], "takeRepeat" | "hasRepeat"> {
  readonly mayRepeat: Repeats["mayRepeat"]
  /** For the row of a call that may run again; nothing for others. */
  readonly of: (entry: JournalEntry, origin: Origin | undefined) => string | undefined
}

export const makeRepeats = Effect.fnUntraced(function* (
  { fleetId, run }: Database["Service"],
  repeats: Repeats | undefined
): Effect.fn.Return<Kept, never, Scope.Scope> {
  const key = repeats && argumentsKey(repeats.secret, fleetId)
  const swept = Effect.ignore(run(NOT_USED, (sql) => sweepRepeats(sql, REPEATS_KEPT_MS)))
  const sweeping = again("fleet: the removal of what is kept of calls", REPEATS_KEPT_MS, swept)
  if (repeats !== undefined) yield* Effect.forkScoped(sweeping)
  const mayRepeat: Repeats["mayRepeat"] = (call) => repeats?.mayRepeat(call) === true
  const readable = (origin: Origin, sealedText: string, runs: number): Repeat | undefined => {
    const params = key && runs < RUNS_MAX ? unsealed(key, origin, sealedText) : undefined
    // It has run at least once, even if its row was lost.
    return params && { params, runs: Math.max(runs, 1) }
  }
  return {
    mayRepeat,
    of: (entry, origin) => {
      if (key === undefined || origin?.params === undefined || !mayRepeat(entry)) return undefined
      const text = JSON.stringify(origin.params)
      return text.length > REPEAT_MAX_CHARS ? undefined : sealed(key, origin, text)
    },
    takeRepeat: (origin) =>
      run(NOT_USED, (sql) => takeRepeat(sql, origin.session, JSON.stringify(origin.request))).pipe(
        Effect.map((kept) => kept && readable(origin, kept.sealed, kept.runs))
      ),
    hasRepeat: ({ request, session }) =>
      run(NOT_USED, (sql) => hasRepeat(sql, session, JSON.stringify(request), RUNS_MAX))
  }
})
