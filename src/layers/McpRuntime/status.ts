/** One server as `status` shows it. */
import type { ServerStatus } from "../../schemas/ServerState.ts"
import type { AgentServer } from "./view.ts"

export const statusOf = ({ config, supervised }: AgentServer): ServerStatus => {
  const { catalogue, lastError, restarts, state } = supervised.snapshot()
  const info = state._tag === "Ready" ? state.info : undefined
  return {
    state: state._tag,
    transport: info?.transport ?? config.launch.kind,
    protocolVersion: info?.protocolVersion ?? null,
    tools: catalogue?.tools.length ?? 0,
    resources: catalogue?.resources.length ?? 0,
    prompts: catalogue?.prompts.length ?? 0,
    pid: info?.pid ?? null,
    connectMs: info?.connectMs ?? null,
    restarts,
    lastError: lastError ?? null
  }
}
