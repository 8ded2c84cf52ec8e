/** Stores the texts that `ResultStore` keeps, by handle. A handle cannot be guessed. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Origin } from "../../schemas/call/Origin.ts"
import type { Parts } from "../../schemas/content/TextParts.ts"

/** What is known of a text that somebody else has stored. */
export interface Elsewhere {
  readonly origin: Origin
  readonly parts: Parts
}

/** Stores the texts that `ResultStore` keeps, by handle. All but `find` fails with words. */
export class ResultTexts extends Context.Service<
  ResultTexts,
  {
    /** Where they are, in messages. */
    readonly place: string
    /**
     * Stores a well-formed text under a new handle. If that fails, nothing of it remains. With `origin`, everybody who shares the store may
     * read it. `client`: whose it is, so that it can be forgotten with them.
     */
    readonly write: (
      handle: string,
      text: string,
      origin: Origin | undefined,
      client?: string | undefined
    ) => Effect.Effect<Parts, string>
    readonly read: (handle: string) => Effect.Effect<string, string>
    /** The characters from `from` to `to`; reads only the parts that hold them. */
    readonly slice: (handle: string, parts: Parts, from: number, to: number) => Effect.Effect<string, string>
    readonly remove: (handle: string) => Effect.Effect<void, string>
    /** A text that somebody else has stored for everybody. */
    readonly find: (handle: string) => Effect.Effect<Elsewhere | undefined>
  }
>()("mcp-live/services/ResultTexts") {}
