/** What a gateway uses for one agent: its tools, and the call that never fails. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { JsonObject } from "../../schemas/data/Json.ts"
import type { CompletionError, PromptError, ResourceError } from "../../schemas/call/CallError.ts"
import type {
  AgentPrompt,
  Completion,
  CompletionArgument,
  CompletionRef,
  PromptResult
} from "../../schemas/content/Prompt.ts"
import type { AgentResource, AgentResourceTemplate, ResourceReading } from "../../schemas/content/Resource.ts"
import type { ServerStatus } from "../../schemas/connection/ServerState.ts"
import type { AgentTool, Progress, ToolResult } from "../../schemas/call/Tool.ts"
import type { Approver } from "./Approvals.ts"

/** What a single call may bring besides its arguments. All of it may be left out. */
export interface CallOptions {
  /** Milliseconds of silence before the call is cancelled, instead of the server's `toolTimeout`. */
  readonly timeoutMs?: number | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Who is asked about this call, where a rule wants that; whom the program names for all when left out. */
  readonly approver?: Approver | undefined
  /** Which of several clients calls, that have nothing to do with each other: its limits are its own. */
  readonly client?: string | undefined
  /** A person is asked about this call, as if an `ask` rule were about every tool. What is denied stays denied. */
  readonly askAlways?: boolean | undefined
  /** Goes along in `_meta` of the request. */
  readonly meta?: JsonObject | undefined
}

/**
 * The methods of `McpRuntime`. Effects of it fail only as their types say; a call's errors are results with `isError:
 * true`.
 */
export interface McpRuntimeShape {
  readonly agent: string
  /**
   * The tools that this agent may use now, in a stable order. The first time, lazy servers whose tools nobody has seen yet
   * are woken, and servers that are on their way up are waited for, all together no longer than two seconds; what comes
   * later arrives through `changes`.
   */
  readonly tools: Effect.Effect<ReadonlyArray<AgentTool>>
  /**
   * Every tool that this agent may call now, without waiting: where there are more than the configured threshold, `tools`
   * has a search over these instead of themselves.
   */
  readonly allTools: Effect.Effect<ReadonlyArray<AgentTool>>
  /**
   * Calls a tool by its exposed name. Never fails: every error is a result with `isError: true` (DESIGN, "How a call
   * walks"). Interruption cancels the call at the server.
   */
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: CallOptions
  ) => Effect.Effect<ToolResult>
  readonly status: Effect.Effect<Readonly<Record<string, ServerStatus>>>
  /** Emits once per server at the start, so that nothing is missed, and whenever `tools` or `status` may have changed. */
  readonly changes: Stream.Stream<void>
  /** Returns when no server is on its way up any more. Wakes none: a lazy server stays asleep. */
  readonly ready: Effect.Effect<void>
  /**
   * Lists tools, resources and prompts of every connected server anew. A list that cannot be read stays as it was, with a
   * warning in the log. `changes` emits when something is different.
   */
  readonly refresh: Effect.Effect<void>

  readonly resources: Effect.Effect<ReadonlyArray<AgentResource>>
  readonly resourceTemplates: Effect.Effect<ReadonlyArray<AgentResourceTemplate>>
  /**
   * Reads a resource, listed or made from a template. Without `server` the one that lists the URI is asked; when several
   * do, or none, and more than one server has resources, the error names them.
   */
  readonly readResource: (uri: string, server?: string) => Effect.Effect<ResourceReading, ResourceError>
  /** The resources of all servers as one block for the agent's context (seed 000 §3.6); empty when there are none. */
  readonly resourceContext: Effect.Effect<string>
  /** Emits the URI and the server of a resource that a server says has changed. */
  readonly resourceUpdates: Stream.Stream<{ readonly server: string; readonly uri: string }>

  readonly prompts: Effect.Effect<ReadonlyArray<AgentPrompt>>
  /** Fills a prompt in. `name` is the exposed name, `server/prompt`, or the server's own name where that is unique. */
  readonly getPrompt: (
    name: string,
    args?: Readonly<Record<string, string>>
  ) => Effect.Effect<PromptResult, PromptError>
  /** Suggestions for an argument of a prompt or a variable of a template; none from a server that offers none. */
  readonly complete: (ref: CompletionRef, argument: CompletionArgument) => Effect.Effect<Completion, CompletionError>

  /** Starts a server over, Failed or not; `false` when there is none of that name. */
  readonly reset: (server: string) => Effect.Effect<boolean>
}

/**
 * What a gateway uses for one agent: its tools, resources and prompts, and `call`, which never fails. `McpLive`
 * provides it.
 */
export class McpRuntime extends Context.Service<McpRuntime, McpRuntimeShape>()("mcp-live/services/McpRuntime") {}
