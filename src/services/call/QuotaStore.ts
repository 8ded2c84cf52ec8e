/** Counts calls for quotas, for all who share the store. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { QuotaAsk, QuotaGiven } from "../../schemas/call/Quota.ts"

/** Counts calls for quotas, for all who share the store. Fails with words while it cannot be reached. */
export class QuotaStore extends Context.Service<
  QuotaStore,
  {
    /** In the order of the asks. All of them at once: nobody else counts in between. */
    readonly take: (asks: ReadonlyArray<QuotaAsk>) => Effect.Effect<ReadonlyArray<QuotaGiven>, string>
    /** Removes all counts of a person. Returns how many there were. */
    readonly forget: (personId: string) => Effect.Effect<number, string>
  }
>()("mcp-live/services/QuotaStore") {}
