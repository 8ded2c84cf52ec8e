/** Remembers which definitions of tools were approved, and tells and withholds what is not what it was. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Catalogue, ToolDefinition } from "../../schemas/connection/Catalogue.ts"
import type { ServerPins, PinCheck, Verdict } from "../../schemas/call/Pins.ts"
import type { PinsFailed } from "../../schemas/call/PinsFailed.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"

/** One server of an agent, with what it offers now. */
export interface Offer {
  readonly config: ServerConfig
  /** `undefined` while nobody knows. */
  readonly catalogue: Catalogue | undefined
}

/** How a definition stands; of a server and a catalogue that were reviewed. */
export type Review = (config: ServerConfig, definition: ToolDefinition) => PinCheck

/** What is kept of one server: its pins, or why they cannot be read. */
export type Kept =
  | { readonly _tag: "Pins"; readonly pins: ServerPins }
  | { readonly _tag: "Unreadable"; readonly file: string; readonly detail: string }

/** Tools of a server that is started in one way. */
export interface Decision {
  readonly server: string
  readonly launch: string
  /** As its pins have it. */
  readonly configuration?: string | undefined
  readonly verdict: Verdict
  /** Each with the definition that is meant: one that is not there any more is left as it is. */
  readonly tools: ReadonlyArray<{ readonly name: string; readonly hash: string | undefined }>
}

/** Remembers which definitions of tools were approved, and tells and withholds what is not what it was. */
export class DefinitionLedger extends Context.Service<
  DefinitionLedger,
  {
    /**
     * Looks at what the servers of one agent offer. Does not suspend: a definition that changed is known to have changed
     * before anybody can be given it. A server that was never seen, by name and by how it is launched, is trusted as it
     * is; from then on a definition that is changed, new, gone, renamed, or named like one of another server of this
     * agent that was there before, is told once by each process until it is approved (one that is gone: only once), as a warning in the log and in the audit log. What comes of it for the
     * tool is up to `pin` of its server. Each list is looked at once, however often it is handed in.
     *
     * What is remembered stands in the data directory, for every process of this user: it is written in the background,
     * and what another process has approved since is seen.
     *
     * Where the file of a server is damaged or cannot be read, nothing of it counts as approved. A damaged file is kept
     * aside when it is replaced.
     */
    readonly review: (offers: ReadonlyArray<Offer>) => Review
    /**
     * Does beforehand what a review has to do with each definition of a list, one at a time: where there are thousands, that
     * would hold everybody up. A review of what was not prepared does it itself.
     */
    readonly prepare: (config: ServerConfig, catalogue: Catalogue) => (definition: ToolDefinition) => void
    /** Grows when definitions may stand otherwise than a review said, by a word of the operator for example. */
    readonly version: () => number
    /** The present version, then each change. */
    readonly changes: Stream.Stream<number>
    /** Everything that is kept now, in the order of names. */
    readonly list: Effect.Effect<ReadonlyArray<Kept>, PinsFailed>
    /**
     * Keeps what the operator says. Gives the tools that it was kept for: not those whose definition is not the one that
     * was meant.
     */
    readonly decide: (decision: Decision) => Effect.Effect<ReadonlyArray<string>, PinsFailed>
  }
>()("mcp-live/services/DefinitionLedger") {}
