/** Counts calls for quotas, for all who share the store. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { QuotaAsk, QuotaGiven } from "../../schemas/call/Quota.ts"

/** Counts calls for quotas, for all who share the store. Fails with words while it cannot be reached. */
export class QuotaStore extends Context.Service<
  QuotaStore,
  {
    /** Where a quota is counted, if that is not the same place for all. */
    readonly placeOf?: ((name: string) => number) | undefined
    /** In the order of the asks. All of one place at once: nobody else counts in between. If this fails, asks of one place have counted nothing. */
    readonly take: (asks: ReadonlyArray<QuotaAsk>) => Effect.Effect<ReadonlyArray<QuotaGiven>, string>
    /** Removes all counts of a person. Returns how many there were. */
    readonly forget: (personId: string) => Effect.Effect<number, string>
  }
>()("mcp-live/services/QuotaStore") {}
