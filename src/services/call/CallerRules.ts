/**
 * What the rules of clients (`clients.rules`) make of a client. A `Context.Reference`: without a configuration with rules, nobody is subject
 * to any.
 */
import * as Context from "effect/Context"
import * as Stream from "effect/Stream"
import type { Standing } from "../../schemas/login/Standing.ts"
import type { Identity } from "../../schemas/login/Identity.ts"

export interface Ruling {
  /**
   * By the rules as they are now: the same object until they change. `undefined`: there are no rules, or the caller is subject to none.
   */
  readonly of: (identity: Identity | undefined) => Standing | undefined
  /** Emits when the rules may have changed. */
  readonly changes: Stream.Stream<void>
}

/** What the rules of clients make of a client. */
export class CallerRules extends Context.Reference<Ruling>("mcp-live/services/CallerRules", {
  defaultValue: () => ({ of: () => undefined, changes: Stream.empty })
}) {}
