/**
 * Hangs the plugin into OpenClaw: a guard over the results of its own MCP servers, one tool for the servers of its agents,
 * connections with secrets, and the end of it all. Light: whatever is heavy is loaded by the first call that needs it.
 */
import {
  seenResult,
  type HostResult,
  type HostResultEvent,
  type SeenResult
} from "../../schemas/openclaw/NativeResult.ts"
import { isInjected } from "../../schemas/openclaw/Injected.ts"
import { ERROR_TEXT_MAX_CHARS } from "../../schemas/defaults/Results.ts"
import { isObject } from "../../schemas/Json.ts"
import * as Calls from "./calls.ts"
import type { HostApi, HostTool, HostToolContext, HostToolResult, MiddlewareContext } from "./host.ts"
import { DESCRIPTION, LABEL, PARAMETERS, TOOL } from "./metaTool.ts"
import { PLUGIN_ID } from "./plugin.ts"
import type { Running } from "./running.ts"
import { hasServers, readSettings } from "./settings.ts"
import * as Shared from "./shared.ts"

/** Nothing of the result is left: what could not be made safe is not shown. */
const WITHHELD: HostToolResult = {
  content: [
    {
      type: "text",
      text: "The result of this tool is withheld: it could not be made safe to show. The gateway's log says more."
    }
  ],
  details: { status: "error" }
}

const STOPPING: HostToolResult = {
  content: [{ type: "text", text: "The MCP servers cannot be used: the gateway is stopping." }],
  details: { status: "error" }
}

/** For a line of the log: what went wrong may have been said by anybody. */
const shown = (text: string) => text.slice(0, ERROR_TEXT_MAX_CHARS).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?")

/** Whatever was thrown, this throws nothing. */
const reasonOf = (error: unknown) =>
  error instanceof Error && typeof error.message === "string" ? shown(error.message) : "what was thrown is no error"

const nameOf = ({ toolName }: HostResultEvent) =>
  typeof toolName === "string" ? shown(toolName) : "a tool without a name"

export const register = (api: HostApi): void => {
  const { logger } = api
  const settings = readSettings(api.pluginConfig)
  const running = () =>
    Shared.acquire(settings, async (): Promise<Running> => (await import("./running.ts")).open(settings, logger))

  // ---- results of OpenClaw's own servers ---------------------------------------------------------------------------

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

  /** What OpenClaw gives its own servers: none of them may show it to a model. */
  const present = () => api.runtime?.config?.current?.() ?? api.config

  const replace = async (
    event: HostResultEvent,
    context: MiddlewareContext,
    seen: SeenResult,
    /** What OpenClaw calls the tool that was called, also by way of its tool search. */
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
        // Ours, of an editor's session: cleaned and framed where it was called.
        if (isInjected(seen.server, tool, present())) return { content: seen.content, details: seen.kept }
        const call = callOf(event, context, seen, seen.isError)
        const { content, details } = await (await running()).guard(call, seen.content, present())
        return { content, details: { ...details, ...seen.kept } }
      }
    }
  }

  const guard = async (event: HostResultEvent, context: MiddlewareContext) => {
    try {
      const nested = event.toolName === "tool_call" ? Calls.nestedOf(context.sessionKey, event.toolCallId) : undefined
      const seen = seenResult(event, { pluginId: PLUGIN_ID, ownTool: TOOL, nested })
      const tool = event.toolName === "tool_call" ? nested?.toolName : event.toolName
      const result = await replace(event, context, seen, tool)
      return result === undefined ? undefined : { result }
    } catch (error) {
      logger.error(`mcp-live: the result of ${nameOf(event)} is withheld: ${reasonOf(error)}`)
      return { result: WITHHELD }
    }
  }

  if (settings.frame) {
    api.registerAgentToolResultMiddleware(guard, { runtimes: ["openclaw"] })
    api.on("before_tool_call", ({ toolCallId }, { sessionKey }) => {
      if (toolCallId !== undefined) Calls.began(sessionKey, toolCallId, performance.now())
    })
    api.on("after_tool_call", ({ result, toolCallId, toolName }, { sessionKey }) => {
      // What our own tool gave is known better: hooks are not told of images.
      if (toolCallId !== undefined && toolName !== undefined && toolName !== TOOL && isObject(result)) {
        Calls.gave(sessionKey, toolCallId, { toolName, content: result["content"], details: result["details"] })
      }
    })
  }

  for (const serverName of Object.keys(settings.connections)) {
    api.registerMcpServerConnectionResolver({
      serverName,
      resolve: async () => (await running()).connection(serverName)
    })
  }

  // ---- the servers of agents ---------------------------------------------------------------------------------------

  const toolFor = ({ agentId, sessionKey }: HostToolContext): HostTool => ({
    name: TOOL,
    label: LABEL,
    description: DESCRIPTION,
    parameters: PARAMETERS,
    resultContentSource: "network",
    execute: async (toolCallId, params, signal, onUpdate) => {
      try {
        const result = await (await running()).use(agentId, params, { signal, onUpdate })
        Calls.gave(sessionKey, toolCallId, { toolName: TOOL, ...result })
        return result
      } catch (error) {
        if (error instanceof Shared.Stopping) return STOPPING
        logger.error(`mcp-live: ${reasonOf(error)}`)
        return WITHHELD
      }
    }
  })

  if (hasServers(settings)) {
    let known: Running | undefined
    const look = () => {
      void Shared.present<Running>(settings)?.then(
        (present) => (known = present),
        () => undefined
      )
      return known?.agents()
    }
    // An agent without servers has no tool for them, as soon as that is known.
    api.registerTool((context) => (look()?.has(context.agentId ?? "") === false ? null : toolFor(context)), {
      name: TOOL
    })
  }

  // ---- beginning and end: nothing begins while OpenClaw only looks at what there is ---------------------------------

  if (api.registrationMode !== "full") return
  let owner: symbol | undefined
  api.registerService({
    id: PLUGIN_ID,
    start: () => {
      owner = Shared.begin()
    },
    stop: () => Shared.end(owner)
  })
  // Once the gateway is up, and without anybody waiting for it.
  api.on("gateway_start", () => {
    if (!hasServers(settings)) return
    running().then(
      ({ warm }) => warm(),
      (error: unknown) => logger.error(`mcp-live: ${reasonOf(error)}`)
    )
  })
  api.on("gateway_stop", () => Shared.end())
}
