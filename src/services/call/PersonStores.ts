/** What is kept of people, store by store, so that all of it can be forgotten together. A store of something new joins the list. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Somebody who is to be forgotten. */
export interface ForgottenPerson {
  /** As records have them. */
  readonly names: ReadonlyArray<string>
  /** `personIdOf`; several when one name belongs to the same person at several issuers. */
  readonly ids: ReadonlyArray<string>
  /** The clients through which they called, as records have them: such a name may contain that of the person. */
  readonly clients: ReadonlyArray<string>
}

export interface PersonStore {
  /** What it keeps, in words: `approvals for good`. */
  readonly what: string
  /** Whether records stay, without whose they are. */
  readonly staysNameless?: boolean | undefined
  /** Returns how many there were; fails with words. */
  readonly forget: (person: ForgottenPerson) => Effect.Effect<number, string>
}

/** All stores that keep something of people. */
export class PersonStores extends Context.Service<PersonStores, ReadonlyArray<PersonStore>>()(
  "mcp-live/services/PersonStores"
) {}
