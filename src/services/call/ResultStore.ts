/**
 * Keeps the text that was too long for a result, in files of the data directory that only this user can read. They live as
 * long as the runtime, within a limit on their total size.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Origin } from "../../schemas/call/Origin.ts"

/** A kept text. */
export interface Kept {
  readonly origin: Origin
  /** Characters of the whole text. */
  readonly length: number
  readonly text: string
}

/** A kept text that is read in parts, so that nobody holds more of it than they asked for. */
export interface KeptParts {
  readonly origin: Origin
  /** Characters of the whole text. */
  readonly length: number
  /** As `String.slice` of the whole text; both positions must lie within it. `undefined` when the text has been removed. */
  readonly slice: (from: number, to: number) => Effect.Effect<string | undefined>
}

export interface Keeping {
  /**
   * Keeps a text and returns its handle at once; the file is written in the background, with known secrets masked.
   * `undefined` when the text is larger than the whole store may be. When the store is full, it removes the oldest text of
   * the server that uses most, among those of the client that uses most.
   */
  readonly keep: (text: string, origin: Origin) => string | undefined
  /** Opens the text of a handle for reading in parts, still uncleaned; `undefined` for an unknown handle. */
  readonly open: (handle: string) => Effect.Effect<KeptParts | undefined>
  /** The whole text of a handle, still uncleaned; `undefined` for an unknown handle or a text that was removed. */
  readonly read: (handle: string) => Effect.Effect<Kept | undefined>
}

/**
 * Keeps the text that was too long for a result, to be read by handle, as long as the runtime lives and within a limit on the
 * total size.
 */
export class ResultStore extends Context.Service<
  ResultStore,
  Keeping & {
    /**
     * A part of the store for one session: only this part knows its handles, and its texts are removed when the Scope closes.
     * It also reads what was kept outside of all parts.
     */
    readonly part: Effect.Effect<Keeping, never, Scope.Scope>
    /**
     * Like `read`, for texts of any client. For a program that shows a person their own result, by the handle in its details;
     * never for a handle that a model names.
     */
    readonly readAny: Keeping["read"]
    /** Returns when everything kept so far has been written, or has failed to: until then it is in memory. */
    readonly settled: Effect.Effect<void>
  }
>()("mcp-live/services/ResultStore") {}
