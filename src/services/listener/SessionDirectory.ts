/**
 * Where the sessions of a fleet's clients are. Each lives at one node, and any node answers for it: by passing the request on, or by
 * opening the session again when its node is dead. Tasks and requests that were given back are found in the same way. Without a fleet there
 * is no directory: names have no node in them, and a request costs nothing more.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { DatabaseAway, NodeUnreachable } from "../../schemas/fleet/FleetError.ts"
import type { NodeId } from "../../schemas/fleet/Node.ts"
import type { SessionRecord } from "../../schemas/listener/SessionRecord.ts"
import type { TaskRecord } from "../../schemas/listener/TaskRecord.ts"
import type { Origin, Repeat } from "../call/CallJournal.ts"

export type SessionPlace =
  | { readonly at: "node"; readonly node: NodeId }
  /** This node has taken it over, and has to open it again. Nobody else does. */
  | { readonly at: "here"; readonly session: SessionRecord }
  /** Its node is dead or gave it up, and the asking node does not take it. */
  | { readonly at: "free" }
  | { readonly at: "nowhere" }

/** What the journal of calls knows: `unknown` if the call left and nobody knows how it ended. */
export type CallFate = "done" | "failed" | "unknown"

export interface Directory {
  /** This node as it is now: read it again for each use. */
  readonly self: NodeId
  /** How many sessions this node may have. */
  readonly sessionsMax: number

  // ---- names -------------------------------------------------------------------------------------------------------

  /** A name that tells which life of which node gave it, for this text, which nobody can guess. */
  readonly nameOf: (random: string) => string
  /** Whether a node of a fleet gave this name, dead or alive. */
  readonly isName: (name: string) => boolean
  /** The node that gave this name, if that life of it goes on. */
  readonly homeOf: (name: string) => NodeId | undefined

  // ---- sessions ----------------------------------------------------------------------------------------------------

  /** Where a session is, as far as this node knows without asking anybody. */
  readonly guess: (session: string) => NodeId | undefined
  /**
   * Where a session is. `except` does not have it, or cannot be reached: if it is dead, the session is taken over, at most by one node.
   * `take` says whether this node may.
   */
  readonly find: (session: string, take: boolean, except?: NodeId) => Effect.Effect<SessionPlace, DatabaseAway>
  /** A session was opened or has changed; returns when that is safe. While the database is away, at once: it is written afterwards. */
  readonly keep: (session: SessionRecord) => Effect.Effect<void>
  /** It is over, for all nodes. */
  readonly ended: (session: string) => void
  /** Any other node may take it over now, which it does with the next request. False if that cannot be written now. */
  readonly handOver: (session: string) => Effect.Effect<boolean>
  /** Does this when others have taken this node for dead: its sessions are theirs, or nobody's. Until the Scope closes. */
  readonly onReplaced: (giveUp: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>

  // ---- tasks and calls ---------------------------------------------------------------------------------------------

  /** Written in the background; `tasksKept` returns when that is done. While the database is away, at once. */
  readonly keepTask: (task: TaskRecord) => void
  readonly tasksKept: Effect.Effect<void>
  readonly forgetTask: (task: string) => void
  readonly task: (task: string) => Effect.Effect<TaskRecord | undefined, DatabaseAway>
  readonly tasksOf: (owner: string) => Effect.Effect<ReadonlyArray<TaskRecord>, DatabaseAway>
  /** Of a call at a node that is dead; `undefined` if it did not leave that node as far as anybody knows. */
  readonly fateOf: (origin: Origin) => Effect.Effect<CallFate | undefined>
  /**
   * A call at a node that is dead, if the operator lets its tool run twice, and it has not run `RUNS_MAX` times: whoever gets it runs it
   * again, and nobody else does. `hasRepeat` says whether it is still there.
   */
  readonly takeRepeat: (origin: Origin) => Effect.Effect<Repeat | undefined>
  readonly hasRepeat: (origin: Origin) => Effect.Effect<boolean>

  /** Kept results that a client was given, so that it may read on in them at every node; returns when others know them. */
  readonly giveHandles: (principal: string, handles: ReadonlyArray<string>) => Effect.Effect<void>
  /** `false` also while that cannot be looked up. */
  readonly hasHandle: (principal: string, handle: string) => Effect.Effect<boolean>

  // ---- nodes -------------------------------------------------------------------------------------------------------

  /** Others that take new sessions, the one with the fewest first. */
  readonly others: () => ReadonlyArray<NodeId>
  readonly connect: (node: NodeId) => Effect.Effect<Duplex, NodeUnreachable>
  /** Each life of a node that is known to be over. */
  readonly deaths: Stream.Stream<NodeId>
  /** For a node whose connection broke: returns when it is known whether it is dead. */
  readonly isGone: (node: NodeId) => Effect.Effect<boolean>
  /** Handles what other nodes pass on, until the Scope closes. */
  readonly onHttp: (
    handle: (incoming: IncomingMessage, response: ServerResponse) => void
  ) => Effect.Effect<void, never, Scope.Scope>
  /** Whether what this node has is its own: see `Fleet`. */
  readonly isCurrent: () => boolean
  /** Returns when it is, and what others have taken over was given up. */
  readonly confirmed: Effect.Effect<void>
  /** What other nodes see of this one. */
  readonly reports: (sessions: () => number) => void

  // ---- the end -----------------------------------------------------------------------------------------------------

  readonly isDraining: () => boolean
  /** What has to be done before this node may end, until the Scope closes. */
  readonly onDrain: (handOver: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  /** Takes nothing new from now on; returns when everything that was registered for this has been done. */
  readonly drain: Effect.Effect<void>
  /** Returns when that has been done because somebody asked this node for it. */
  readonly drained: Effect.Effect<void>
}

/** The directory of this process, if it is a node of a fleet. */
export class SessionDirectory extends Context.Reference<{ readonly current: Directory | undefined }>(
  "mcp-live/services/SessionDirectory",
  { defaultValue: () => ({ current: undefined }) }
) {}
