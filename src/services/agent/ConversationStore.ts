/** Stores conversations for all who share the store: a line that describes each, and a line for each turn. The lines are JSON. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DatabaseAway } from "../../schemas/fleet/FleetError.ts"
import type { Lease } from "../fleet/Leases.ts"

export interface StoredConversation {
  readonly header: string
  readonly lines: ReadonlyArray<string>
}

/** `gone`: somebody else has removed it. `failed`: the right to change it has gone to somebody else. */
export type StoredOutcome = "kept" | "gone" | "failed"

/** Stores conversations for all who share the store. Their names cannot be guessed from what is in them. */
export class ConversationStore extends Context.Service<
  ConversationStore,
  {
    readonly read: (name: string) => Effect.Effect<StoredConversation | undefined, DatabaseAway>
    /** The header, and the number of lines. */
    readonly glance: (
      name: string
    ) => Effect.Effect<{ readonly header: string; readonly turns: number } | undefined, DatabaseAway>
    /** Replaces it; or makes it, if it is not expected to be there. Of too many, the client that has most loses its oldest one. */
    readonly write: (
      name: string,
      owner: string,
      conversation: StoredConversation,
      isThere: boolean
    ) => Effect.Effect<StoredOutcome, DatabaseAway>
    readonly append: (name: string, line: string) => Effect.Effect<StoredOutcome, DatabaseAway>
    /** Whether there was one. */
    readonly remove: (name: string) => Effect.Effect<boolean, DatabaseAway>
    /** The headers of those that have a turn. */
    readonly headers: Effect.Effect<ReadonlyArray<string>, DatabaseAway>
    /** Takes the exclusive right to change it, or tells which node has it. */
    readonly take: (name: string) => Effect.Effect<{ readonly lease: Lease } | { readonly node: string }, DatabaseAway>
  }
>()("mcp-live/services/ConversationStore") {}
