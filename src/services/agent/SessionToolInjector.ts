/** Gives the tools of one of our sessions to that session of an OpenClaw gateway, and to no other. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { GatewayError } from "../../schemas/agent/GatewayError.ts"
import type { McpRuntimeShape } from "../call/McpRuntime.ts"

export class SessionToolInjector extends Context.Service<
  SessionToolInjector,
  {
    /**
     * Gives the gateway's session `gatewayKey` the tools, under their exposed names, until the caller's Scope closes. They
     * run in this process, through `tools.call`, with our limits, masking and sanitizing. Closing the Scope removes them,
     * what gives access first. Tools that a killed process left behind are removed as soon as the gateway is connected, and
     * at the first use.
     */
    readonly inject: (gatewayKey: string, tools: McpRuntimeShape) => Effect.Effect<void, GatewayError, Scope.Scope>
  }
>()("mcp-live/services/SessionToolInjector") {}
