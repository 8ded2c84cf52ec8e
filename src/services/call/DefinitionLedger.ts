/** Tool pinning: remembers the approved definitions of tools, and reports and withholds those that differ. */
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
  /** `undefined` while it is unknown. */
  readonly catalogue: Catalogue | undefined
}

/** The state of a definition, for a server and a catalog that were reviewed. */
export type Review = (config: ServerConfig, definition: ToolDefinition) => PinCheck

/** What is stored for one server: its pins, or why they cannot be read. */
export type Kept =
  | { readonly _tag: "Pins"; readonly pins: ServerPins }
  | { readonly _tag: "Unreadable"; readonly file: string; readonly detail: string }

/** A decision about tools of a server with one way of launch. */
export interface Decision {
  readonly server: string
  readonly launch: string
  /** As in the pins of the server. */
  readonly configuration?: string | undefined
  readonly verdict: Verdict
  /** Each with the hash of the definition that is meant. A tool whose definition is another one by now is left as it is. */
  readonly tools: ReadonlyArray<{ readonly name: string; readonly hash: string | undefined }>
}

/** Tool pinning: remembers the approved definitions of tools, and reports and withholds those that differ. */
export class DefinitionLedger extends Context.Service<
  DefinitionLedger,
  {
    /**
     * Reviews what the servers of one agent offer. Synchronous: a changed definition is known as such before anybody can get
     * it. A server is trusted at first sight, by its name and its launch. From then on each process reports every definition
     * that changed, is new, is gone, was renamed, or has the name of an older tool of another server of this agent: once, as
     * a warning in the log and in the audit log, until it is approved (one that is gone: only once). `pin` of the server
     * decides what happens to the tool. Each list is examined once, however often you pass it.
     *
     * Pins are stored in the data directory for all processes of this user. They are written in the background, and approvals
     * by another process are noticed.
     *
     * While the file of a server is damaged or unreadable, none of its tools counts as approved. A damaged file is kept under
     * another name when it is replaced.
     */
    readonly review: (offers: ReadonlyArray<Offer>) => Review
    /**
     * Does the work of a review for each definition of a list in advance, one at a time: thousands at once would block the
     * event loop. A review does itself what was not prepared.
     */
    readonly prepare: (config: ServerConfig, catalogue: Catalogue) => (definition: ToolDefinition) => void
    /**
     * Grows when a definition may have another state than the last review returned, for example after a decision of the operator.
     */
    readonly version: () => number
    /** The current version, then each new one. */
    readonly changes: Stream.Stream<number>
    /** Emits now, and whenever `list` may return something else: also for a definition that waits for the operator. */
    readonly listChanges: Stream.Stream<number>
    /** All pins, sorted by server name. */
    readonly list: Effect.Effect<ReadonlyArray<Kept>, PinsFailed>
    /**
     * Stores a decision of the operator. Returns the names of the tools that it was stored for: those whose definition is
     * still the one that was meant.
     */
    readonly decide: (decision: Decision) => Effect.Effect<ReadonlyArray<string>, PinsFailed>
  }
>()("mcp-live/services/DefinitionLedger") {}
