/**
 * Remembers outside of this process which calls have left it, so that after its death each one is known to be done, failed or unknown.
 * Without a fleet nobody keeps a journal: then nothing is written, and a call costs nothing more.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { JsonObject } from "../../schemas/data/Json.ts"

/** A call that is about to leave. No values: neither arguments nor results. */
export interface JournalEntry {
  readonly agent: string
  readonly client?: string | undefined
  readonly server: string
  /** What agents see before the names of its tools. */
  readonly toolPrefix?: string | undefined
  readonly tool: string
  /** The tool as the server names it and rules match it, if that is another text. */
  readonly ownName?: string | undefined
}

/** `done`: there was an answer. `failed`: it did not leave, or its server refused it. `unknown`: it has left, and nobody knows what came of it. */
export type JournalOutcome = "done" | "failed" | "unknown"

/** The entry of one call. */
export interface OpenEntry {
  /** Completes when the entry is safe, so that the call may leave: true if others can see it, false if this node still owes it to them. */
  readonly written: Effect.Effect<boolean>
  /**
   * Says how the call ended, and returns at once. It may come before the entry is safe: one that is `failed` and not on its way yet is not
   * written at all.
   */
  readonly close: (outcome: JournalOutcome) => void
  /**
   * Only for a call that the operator lets run again. Asked when it may have been executed at a node that is dead: whether it may run once
   * more. If so, the entry of this run becomes `unknown`, the next run has one that others can see, and `close` is about that.
   */
  readonly mayRunAgain?: Effect.Effect<boolean> | undefined
}

export interface Journal {
  /**
   * Begins to write the entry, and returns at once. While the database is away, entries go to a bounded file of this node, and from there to
   * the database.
   */
  readonly open: (entry: JournalEntry, origin?: Origin) => OpenEntry
}

/** Whoever keeps the journal of this process, if somebody does. */
export interface Journaling {
  readonly current: Journal | undefined
}

/** The journal of this process, if it keeps one. */
export class CallJournal extends Context.Reference<Journaling>("mcp-live/services/CallJournal", {
  defaultValue: () => ({ current: undefined })
}) {}

/** Which request of which session a call answers: whoever takes over the session needs it. */
export interface Origin {
  readonly session: string
  readonly request: string | number
  /** What its client asked for, if it can come back for the answer: for who may run it again. */
  readonly params?: JsonObject | undefined
  /** How often the call ran before, at nodes that died meanwhile. */
  readonly runs?: number | undefined
  /** Told when the call leaves. */
  readonly leaves?: (() => void) | undefined
}

/** A call of a dead node that another one runs again. */
export interface Repeat {
  /** What its client asked for. */
  readonly params: JsonObject
  /** How often it has run, at least once. */
  readonly runs: number
}

/** That of a call, as far as there is one. */
export class CallOrigin extends Context.Reference<Origin | undefined>("mcp-live/services/CallOrigin", {
  defaultValue: () => undefined
}) {}
