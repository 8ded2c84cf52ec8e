/**
 * The tools of an agent: those of its servers under their own names and schemas, as far as the manifest declares these names,
 * and the single tool for the rest, or for all when there are very many.
 */
import { deniesName } from "./policy.ts"
import type { AgentTool } from "../../schemas/call/Tool.ts"
import * as Calls from "./callsInFlight.ts"
import type { HostApi, HostTool, HostToolContext, HostToolResult } from "./openclawApi.ts"
import { DESCRIPTION, LABEL, PARAMETERS, TOOL } from "./metaTool.ts"
import type { CallContext, Running } from "./running.ts"
import type { Settings } from "./settings.ts"
import * as Shared from "./processState.ts"

export interface AgentToolsOptions {
  readonly api: Pick<HostApi, "logger" | "registerTool">
  readonly settings: Settings
  /** The names that the manifest declares. */
  readonly named: ReadonlySet<string>
  readonly running: () => Promise<Running>
  /** The result for an unexpected error. */
  readonly broken: (error: unknown) => HostToolResult
  /** OpenClaw's current configuration. */
  readonly config: () => unknown
}

/** The most names in one log line. */
const NAMED_MAX = 10

const OWN = "you have a tool of this name: call it directly, with its own arguments"
const DENIED = "OpenClaw's policy denies a tool of this name"

export const registerAgentTools = ({ api, broken, config, named, running, settings }: AgentToolsOptions): void => {
  const use =
    (
      { agentId, sessionKey }: HostToolContext,
      tool: string,
      paramsOf: (params: unknown) => unknown,
      refuses?: CallContext["refuses"]
    ): HostTool["execute"] =>
    async (toolCallId, params, signal, onUpdate) => {
      try {
        const result = await (await running()).use(agentId, paramsOf(params), { signal, onUpdate, refuses })
        Calls.gave(sessionKey, toolCallId, { toolName: tool, ...result })
        return result
      } catch (error) {
        return broken(error)
      }
    }

  const single = (context: HostToolContext, own: ReadonlySet<string>): HostTool => ({
    name: TOOL,
    label: LABEL,
    description: DESCRIPTION,
    parameters: PARAMETERS,
    resultContentSource: "network",
    execute: use(
      context,
      TOOL,
      (params) => params,
      (name) => {
        if (own.has(name)) return OWN
        return deniesName(config(), context.agentId ?? "", TOOL)(name) ? DENIED : undefined
      }
    )
  })

  const toolOf = (context: HostToolContext, { description, label, name, parameters }: AgentTool): HostTool => ({
    name,
    label,
    description,
    parameters,
    resultContentSource: "network",
    execute: use(context, name, (args) => ({ action: "call", name, arguments: args }))
  })

  const told = new Map<string, string>()
  /** Logged once for the same tools, because OpenClaw asks before each turn. */
  const tell = (agent: string, rest: ReadonlyArray<AgentTool>) => {
    const names = rest.map(({ name }) => name)
    const text = `mcp-live: tools of agent ${agent} that the plugin's folder does not declare, and that are called through ${TOOL}: ${names.slice(0, NAMED_MAX).join(", ")}${names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : ""}. "mcp-live plugin FOLDER" declares them.`
    if (names.length > 0 && text !== told.get(agent)) api.logger.info(text)
    told.set(agent, text)
  }

  const toolsFor = (context: HostToolContext, present: Running | undefined): ReadonlyArray<HostTool> | null => {
    const { agentId = "" } = context
    // Without servers there are no tools; this may not be known yet.
    if (present?.agents()?.has(agentId) === false) return null
    const offer = named.size === 0 ? undefined : present?.offer(agentId)
    if (offer === undefined || offer.tools.length > settings.maxTools) return [single(context, new Set())]
    const own = offer.tools.filter(({ name }) => named.has(name))
    const rest = offer.tools.filter(({ name }) => !named.has(name))
    tell(agentId, rest)
    const direct = own.map((tool) => toolOf(context, tool))
    return rest.length === 0 && offer.settled
      ? direct
      : [...direct, single(context, new Set(own.map(({ name }) => name)))]
  }

  api.registerTool((context) => toolsFor(context, Shared.present<Running>(settings)), { names: [TOOL, ...named] })
}
