/** The guard over results of OpenClaw's own servers, and the hooks that report what a tool search omits. */
import { seenResult, type HostResult, type HostResultEvent, type SeenResult } from "./nativeResult.ts"
import { isInjected } from "../../schemas/agent/openclaw/Injected.ts"
import { isObject } from "../../schemas/data/Json.ts"
import * as Calls from "./callsInFlight.ts"
import type { HostApi, HostToolResult, MiddlewareContext } from "./openclawApi.ts"
import { PLUGIN_ID } from "./plugin.ts"
import type { Running } from "./running.ts"
import { reasonOf, shown, WITHHELD } from "./replacementText.ts"

export interface ResultsOptions {
  readonly api: Pick<HostApi, "logger" | "on" | "registerAgentToolResultMiddleware">
  readonly running: () => Promise<Running>
  /** OpenClaw's current configuration. */
  readonly config: () => unknown
  /** Whether a tool of that name is ours. */
  readonly isOurs: (toolName: string) => boolean
}

const nameOf = ({ toolName }: HostResultEvent) =>
  typeof toolName === "string" ? shown(toolName) : "a tool without a name"

export const registerResults = ({ api, config, isOurs, running }: ResultsOptions): void => {
  const callOf = (
    { args, toolCallId }: HostResultEvent,
    { agentId, sessionKey }: MiddlewareContext,
    seen: { readonly server: string; readonly tool: string },
    isError: boolean
  ) => ({
    agent: agentId ?? "unknown",
    server: seen.server,
    tool: seen.tool,
    callId: toolCallId,
    args: isObject(args) && isObject(args["args"]) && typeof args["id"] === "string" ? args["args"] : args,
    durationMs: Calls.sinceBegan(sessionKey, toolCallId, performance.now()),
    isError
  })

  const replace = async (
    event: HostResultEvent,
    context: MiddlewareContext,
    seen: SeenResult,
    /** The name of the called tool, also through OpenClaw's tool search. */
    tool: string | undefined
  ): Promise<HostToolResult | HostResult | undefined> => {
    switch (seen._tag) {
      case "Other":
        return undefined
      case "Ours":
        return seen.result
      case "Failed":
        await (await running()).failed(callOf(event, context, seen, true))
        return undefined
      case "Native": {
        // A tool of an editor's session is ours: its result was cleaned and framed where it was called.
        if (isInjected(seen.server, tool, config())) return { content: seen.content, details: seen.kept }
        const call = callOf(event, context, seen, seen.isError)
        const { content, details } = await (await running()).guard(call, seen.content, config())
        return { content, details: { ...details, ...seen.kept } }
      }
    }
  }

  const guard = async (event: HostResultEvent, context: MiddlewareContext) => {
    try {
      const nested = event.toolName === "tool_call" ? Calls.nestedOf(context.sessionKey, event.toolCallId) : undefined
      const seen = seenResult(event, { pluginId: PLUGIN_ID, isOurs, nested })
      const tool = event.toolName === "tool_call" ? nested?.toolName : event.toolName
      const result = await replace(event, context, seen, tool)
      return result === undefined ? undefined : { result }
    } catch (error) {
      api.logger.error(`mcp-live: the result of ${nameOf(event)} is withheld: ${reasonOf(error)}`)
      return { result: WITHHELD }
    }
  }

  api.registerAgentToolResultMiddleware(guard, { runtimes: ["openclaw"] })
  api.on("before_tool_call", ({ toolCallId }, { sessionKey }) => {
    if (toolCallId !== undefined) Calls.began(sessionKey, toolCallId, performance.now())
  })
  api.on("after_tool_call", ({ result, toolCallId, toolName }, { sessionKey }) => {
    // Results of our own tools are known in full; hooks do not get images.
    if (toolCallId !== undefined && toolName !== undefined && !isOurs(toolName) && isObject(result)) {
      Calls.gave(sessionKey, toolCallId, { toolName, content: result["content"], details: result["details"] })
    }
  })
}
