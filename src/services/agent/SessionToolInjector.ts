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
     * From when this returns until the caller's Scope closes, the gateway's session `gatewayKey` has the tools, under their exposed
     * names. They are called in this process, through `tools.call`: limits, masking and sanitising are ours. Closing the Scope
     * takes them back, the most important part first. What an earlier process left behind when it was killed is taken away
     * as soon as the gateway is connected, and at the first use.
     */
    readonly inject: (gatewayKey: string, tools: McpRuntimeShape) => Effect.Effect<void, GatewayError, Scope.Scope>
  }
>()("mcp-live/services/SessionToolInjector") {}
