/**
 * The part of OpenClaw's plugin interface (2026.9) that the plugin uses. OpenClaw is not a dependency: the plugin is one file
 * that does not know the version that loads it, so it checks everything that it gets.
 */
import type { HostResult, HostResultEvent } from "./nativeResult.ts"
import type { Content } from "../../schemas/call/Tool.ts"

export interface HostLogger {
  readonly debug?: (text: string) => void
  readonly info: (text: string) => void
  readonly warn: (text: string) => void
  readonly error: (text: string) => void
}

/** The result of a tool, or its replacement. `details` are for programs; a `status` of `error` marks a failure. */
export interface HostToolResult {
  readonly content: ReadonlyArray<Content>
  readonly details: Readonly<Record<string, unknown>>
}

export interface HostTool {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly parameters: object
  readonly resultContentSource: "network"
  readonly execute: (
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: (partial: HostToolResult) => void
  ) => Promise<HostToolResult>
}

export interface HostToolContext {
  readonly agentId?: string
  readonly sessionKey?: string
}

export interface MiddlewareContext {
  readonly agentId?: string
  readonly sessionKey?: string
}

export interface HookEvent {
  readonly toolName?: string
  readonly toolCallId?: string
  readonly result?: unknown
}

/** Text before the person's message in the prompt of one turn. */
export interface PromptAddition {
  readonly prependContext: string
}

export interface Connection {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface HostApi {
  readonly registrationMode: string
  readonly pluginConfig?: unknown
  /** OpenClaw's own configuration, with variables expanded; `current` returns the present one, where available. */
  readonly config?: unknown
  readonly runtime?: { readonly config?: { readonly current?: () => unknown } }
  readonly logger: HostLogger
  readonly registerTool: (
    factory: (context: HostToolContext) => ReadonlyArray<HostTool> | null,
    options: { readonly names: ReadonlyArray<string> }
  ) => void
  readonly registerAgentToolResultMiddleware: (
    handler: (
      event: HostResultEvent,
      context: MiddlewareContext
    ) => Promise<{ readonly result: HostToolResult | HostResult } | undefined>,
    options: { readonly runtimes: ReadonlyArray<"openclaw"> }
  ) => void
  readonly registerMcpServerConnectionResolver: (resolver: {
    readonly serverName: string
    readonly resolve: () => Promise<Connection | null>
  }) => void
  readonly registerService: (service: {
    readonly id: string
    readonly start: () => void
    readonly stop: () => Promise<void>
  }) => void
  readonly on: (
    hook: "gateway_start" | "gateway_stop" | "before_tool_call" | "after_tool_call" | "before_prompt_build",
    handler: (
      event: HookEvent,
      context: MiddlewareContext
    ) => void | Promise<void> | Promise<PromptAddition | undefined>
  ) => void
}
