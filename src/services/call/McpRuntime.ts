/** What a gateway uses for one agent: its tools, and `call`, which never fails. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Caller } from "../../schemas/call/Caller.ts"
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
import type { AgentConfig } from "../../schemas/config/GatewayConfig.ts"
import type { Plan } from "../../schemas/call/Plan.ts"
import type { Look, Reader } from "../../schemas/call/Look.ts"
import type { AgentTool, Progress, ToolResult } from "../../schemas/call/Tool.ts"
import type { ServerConfig } from "../../schemas/connection/ServerConfig.ts"
import type { Snapshot } from "../connection/ServerPool.ts"
import type { Approver } from "./Approvals.ts"

/** The page on which people who have logged in are asked. */
export interface AskedAt {
  readonly url: string
  /** Whether the person of the call can log in there. */
  readonly isOwn: boolean
}

/** Options of one call. All are optional. */
export interface CallOptions {
  /** The call is cancelled after this many milliseconds without a sign of life. Default: the server's `toolTimeout`. */
  readonly timeoutMs?: number | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Asks about this call, if a rule requires approval. Default: the approver of the whole program. */
  readonly approver?: Approver | undefined
  /** Whose call it is. Each client has its own limits. Default: nobody in particular. */
  readonly caller?: Caller | undefined
  /** Where it can be approved, for the error of a call that was not. */
  readonly page?: AskedAt | undefined
  /** Asks for approval as if an `ask` rule matched every tool. A denied tool stays denied. */
  readonly askAlways?: boolean | undefined
  /** Who sees the result. Default: an agent. */
  readonly look?: Look | undefined
  /** For whom the words about an error are. Default: as `look` says. */
  readonly reader?: Reader | undefined
  /** Sent in `_meta` of the request. */
  readonly meta?: JsonObject | undefined
}

/** Who asks for something else than a call. */
export interface AskOptions {
  readonly caller?: Caller | undefined
}

/** One server of the agent as it is now, before anything is cleaned or masked. */
export interface InspectedServer {
  readonly config: ServerConfig
  readonly snapshot: Snapshot
}

/** The methods of `McpRuntime`. They fail only as their types say; the error of a call is a result with `isError: true`. */
export interface McpRuntimeShape {
  readonly agent: string
  /**
   * The tools that this agent may use now, in a stable order. The first use starts lazy servers whose tools are still unknown
   * and waits for servers that are starting, together at most two seconds; what comes later is announced by `changes`.
   */
  readonly tools: Effect.Effect<ReadonlyArray<AgentTool>>
  /**
   * Every tool that this agent may call now, without waiting. When there are more than the configured threshold, `tools`
   * returns search tools in place of them.
   */
  readonly allTools: Effect.Effect<ReadonlyArray<AgentTool>>
  /**
   * Calls a tool by its exposed name. Never fails: every error is a result with `isError: true`. Interruption cancels the
   * call at the server.
   */
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    options?: CallOptions
  ) => Effect.Effect<ToolResult>
  readonly status: Effect.Effect<Readonly<Record<string, ServerStatus>>>
  /** Emits once per server at the start, so that you miss nothing, and whenever `tools` or `status` may have changed. */
  readonly changes: Stream.Stream<void>
  /** Returns when no server is starting any more. Starts none: lazy servers stay as they are. */
  readonly ready: Effect.Effect<void>
  /**
   * Reads the lists of tools, resources and prompts of every connected server again. A list that cannot be read stays as it
   * was, with a warning in the log. `changes` emits when something differs.
   */
  readonly refresh: Effect.Effect<void>

  readonly resources: Effect.Effect<ReadonlyArray<AgentResource>>
  readonly resourceTemplates: Effect.Effect<ReadonlyArray<AgentResourceTemplate>>
  /**
   * Reads a resource, listed or from a template. Without `server`, the server that lists the URI is asked. If several do, or
   * if none does and more than one server has resources, the error names the candidates. With `asked`, the limits of calls
   * apply, as to a call of this client; the same holds for `getPrompt` and `complete`. A program that asks for itself has none.
   */
  readonly readResource: (
    uri: string,
    server?: string,
    asked?: AskOptions
  ) => Effect.Effect<ResourceReading, ResourceError>
  /** The resources of all servers as one block for the agent's context; empty when there are none. */
  readonly resourceContext: Effect.Effect<string>
  /** Emits the URI and the server of each resource that a server reports as changed. */
  readonly resourceUpdates: Stream.Stream<{ readonly server: string; readonly uri: string }>

  readonly prompts: Effect.Effect<ReadonlyArray<AgentPrompt>>
  /**
   * Gets a prompt with these arguments. `name` is the exposed name, `server/prompt`, or the server's own name where that is unique.
   */
  readonly getPrompt: (
    name: string,
    args?: Readonly<Record<string, string>>,
    asked?: AskOptions
  ) => Effect.Effect<PromptResult, PromptError>
  /** Suggestions for an argument of a prompt or a variable of a template; empty when the server offers none. */
  readonly complete: (
    ref: CompletionRef,
    argument: CompletionArgument,
    asked?: AskOptions
  ) => Effect.Effect<Completion, CompletionError>

  /**
   * Each known tool under its exposed name, listed or not, with the reason, and its size. With `next`, also what that configuration of
   * the agent would change; with `caller`, what the rules of clients leave of it for this one. Starts nothing.
   */
  readonly plan: (next?: AgentConfig, caller?: Caller) => Effect.Effect<Plan>

  /** A server of the agent; `undefined` when none has that name. Nothing in it is cleaned: it is not for a model. */
  readonly inspect: (server: string) => Effect.Effect<InspectedServer | undefined>

  /** Restarts a server in any state; `false` when no server has that name. */
  readonly reset: (server: string) => Effect.Effect<boolean>
  /** Stops a server until it is reset; `false` when no server has that name. */
  readonly stop: (server: string) => Effect.Effect<boolean>
}

/** The runtime itself, and not a part of it. */
export interface WholeRuntime extends McpRuntimeShape {
  /**
   * The runtime as this caller may use it, now and whenever it is asked: lists have what the rules of clients leave, and requests are the
   * caller's. The rules hold in any case for requests of a caller (`CallOptions.caller`): lists only follow them.
   */
  readonly as: (caller: () => Caller) => McpRuntimeShape
}

/**
 * What a gateway uses for one agent: its tools, resources and prompts, and `call`, which never fails. `McpLive`
 * provides it.
 */
export class McpRuntime extends Context.Service<McpRuntime, McpRuntimeShape>()("mcp-live/services/McpRuntime") {}

/** The same runtime, for those who serve several callers with it. */
export class CallersRuntime extends Context.Service<CallersRuntime, WholeRuntime>()(
  "mcp-live/services/CallersRuntime"
) {}
