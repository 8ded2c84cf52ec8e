/** The servers of an agent as `status` shows them. */
import type { ServerStatus } from "../../schemas/ServerState.ts"
import type { AgentServer, View } from "./view.ts"

interface Reviewed {
  withheld: number
  unreviewed: number
  denied?: number
}

const reviewedOf = ({ all, routes }: View): ReadonlyMap<AgentServer, Reviewed> => {
  const counts = new Map<AgentServer, Reviewed>()
  const offered = new Set(all)
  for (const { agentTool, server, standing, withheld } of routes.values()) {
    const count = counts.get(server) ?? { withheld: 0, unreviewed: 0 }
    if (standing.withheld) count.withheld++
    if (standing.open) count.unreviewed++
    if (!standing.withheld && withheld === undefined && !offered.has(agentTool)) count.denied = (count.denied ?? 0) + 1
    counts.set(server, count)
  }
  return counts
}

const NOTHING: Reviewed = { withheld: 0, unreviewed: 0 }

const statusOf = ({ config, supervised }: AgentServer, { denied, ...reviewed }: Partial<Reviewed>): ServerStatus => {
  const { catalogue, lastError, restarts, state } = supervised.snapshot()
  const info = state._tag === "Ready" ? state.info : undefined
  return {
    state: state._tag,
    transport: info?.transport ?? config.launch.kind,
    protocolVersion: info?.protocolVersion ?? null,
    tools: catalogue?.tools.length ?? 0,
    ...reviewed,
    // A server that is gone offers nothing, whatever the rules say.
    ...(denied === undefined || info === undefined ? {} : { denied }),
    resources: catalogue?.resources.length ?? 0,
    prompts: catalogue?.prompts.length ?? 0,
    pid: info?.pid ?? null,
    connectMs: info?.connectMs ?? null,
    restarts,
    lastError: lastError ?? null
  }
}

/** By name. Without a view nothing is said of definitions: nobody has looked at them yet. */
export const statusesOf = (
  servers: ReadonlyArray<AgentServer>,
  view: View | undefined
): Readonly<Record<string, ServerStatus>> => {
  const counts = view === undefined ? undefined : reviewedOf(view)
  return Object.fromEntries(
    servers.map((server) => [
      server.config.name,
      statusOf(server, counts === undefined ? {} : (counts.get(server) ?? NOTHING))
    ])
  )
}
