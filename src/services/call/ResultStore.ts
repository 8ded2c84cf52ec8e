/**
 * Keeps what was too much for a result, so that nothing is lost: in files of the data directory, readable by this user
 * alone, as long as the runtime lives and within a limit over all of them.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Origin } from "../../schemas/call/Origin.ts"

/** Something kept, as it was read again. */
export interface Kept {
  readonly origin: Origin
  /** Characters of the whole. */
  readonly length: number
  readonly text: string
}

/** Something kept that is read in parts: nobody holds more of it than they asked for. */
export interface KeptParts {
  readonly origin: Origin
  /** Characters of the whole. */
  readonly length: number
  /** What `String.slice` gives of the whole, of which both places lie within it; `undefined` when the text has gone. */
  readonly slice: (from: number, to: number) => Effect.Effect<string | undefined>
}

export interface Keeping {
  /**
   * Keeps a text and gives its handle at once; the file is written in the background, known secrets masked. `undefined`
   * when it is larger than the store may be. When the store is full, the oldest text goes of the client that has
   * most of it, and of that one's servers of the one that has most.
   */
  readonly keep: (text: string, origin: Origin) => string | undefined
  /** The text of a handle to be read in parts, still uncleaned; `undefined` for a handle that leads nowhere. */
  readonly open: (handle: string) => Effect.Effect<KeptParts | undefined>
  /** The whole text of a handle, still uncleaned; `undefined` for a handle that is unknown or whose text has gone. */
  readonly read: (handle: string) => Effect.Effect<Kept | undefined>
}

/**
 * Keeps what was too long for a result, so that it can be read on by handle, as long as the runtime lives and within
 * a limit over all of it.
 */
export class ResultStore extends Context.Service<
  ResultStore,
  Keeping & {
    /**
     * A part of the store for one session: handles of it lead nowhere for everybody else, and what they lead to is removed when
     * the Scope closes. It reads what the store has outside of all parts as well.
     */
    readonly part: Effect.Effect<Keeping, never, Scope.Scope>
    /**
     * The same as `read`, whoever's it is. For a program that shows a person what they got, by the handle in the details of the
     * result; never by one that a model names.
     */
    readonly readAny: Keeping["read"]
    /** Returns when all that was kept so far is written, or cannot be: until then it takes memory. */
    readonly settled: Effect.Effect<void>
  }
>()("mcp-live/services/ResultStore") {}
