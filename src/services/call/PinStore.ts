/**
 * Stores the pins of servers, for all who share the store. What is stored is read synchronously: a definition must not be used before it is
 * known whether it is approved.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ServerPins } from "../../schemas/call/Pins.ts"
import type { Kept } from "./DefinitionLedger.ts"

/** Which pins: those of one server, with one way to launch it, of one configuration. */
export interface PinPlace {
  readonly server: string
  readonly launch: string
  readonly configuration?: string | undefined
}

/** What is stored in a place. What is `Damaged` has nothing left to lose; what is `Unreadable` may be intact. */
export type Held =
  | { readonly _tag: "Pins"; readonly pins: ServerPins }
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Damaged"; readonly detail: string }
  | { readonly _tag: "Unreadable"; readonly detail: string }

/** What was found at some time. */
export interface Found {
  /** Changes with what is stored; `undefined` before the first look. */
  readonly stamp: string | undefined
  readonly held: Held
}

/** What to store from now on; `undefined` leaves it. */
export interface PinChange<A> {
  readonly value: A
  readonly keep?: ServerPins | "nothing" | undefined
}

export interface PinChanged<A> {
  readonly value: A
  /** Of what is stored now. */
  readonly stamp: string
  /** How much was written. */
  readonly bytes: number
}

/** Stores the pins of servers, for all who share the store. */
export class PinStore extends Context.Service<
  PinStore,
  {
    /** Names the place, also in messages. */
    readonly nameOf: (place: PinPlace) => string
    /** Another text whenever something else is stored. */
    readonly stampOf: (place: PinPlace) => string
    readonly read: (place: PinPlace) => Held
    /** Pins from before they belonged to configurations become those of this place, if it has none. */
    readonly adopt: (place: PinPlace) => void
    /** The most recent pins of the same server and configuration with another launch. */
    readonly lastOf: (server: string, configuration: string | undefined) => ServerPins | undefined
    /**
     * Reads, changes and writes, one at a time over all who share the store. What is `Damaged` is kept aside when it is replaced. Fails
     * with words.
     */
    readonly modify: <A>(
      place: PinPlace,
      known: Found,
      change: (there: Held) => Effect.Effect<PinChange<A>, string>
    ) => Effect.Effect<PinChanged<A>, string>
    /** Sorted by server. Fails with words. */
    readonly list: Effect.Effect<ReadonlyArray<Kept>, string>
    /** Emits when others have changed something, if the store hears of it by itself. */
    readonly changes: Stream.Stream<unknown>
  }
>()("mcp-live/services/PinStore") {}
