/** The servers of an agent as `status` shows them. */
import type { Catalogue } from "../../../schemas/connection/Catalogue.ts"
import { makeUriFilter } from "../../../schemas/content/ResourceUri.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"
import type { ServerState, ServerStatus } from "../../../schemas/connection/ServerState.ts"
import type { CallLimiter } from "../../../services/call/CallLimiter.ts"
import type { ToolPolicy } from "../../../services/call/ToolPolicy.ts"
import type { AgentServer } from "./AgentServer.ts"
import type { View } from "./catalog.ts"
import { decide } from "./Route.ts"

export interface Parts {
  readonly policy: ToolPolicy["Service"]
  readonly limiter: CallLimiter["Service"]
  /** Milliseconds of the clock. */
  readonly now: number
}

interface Kept {
  withheld: number
  unreviewed: number
  denied: number
}

const nothingKept = (): Kept => ({ withheld: 0, unreviewed: 0, denied: 0 })

const keptOf = ({ routes }: View, policy: Parts["policy"]): ReadonlyMap<AgentServer, Kept> => {
  const counts = new Map<AgentServer, Kept>()
  for (const route of routes.values()) {
    if (route._tag !== "ServerRoute") continue
    const { server, standing } = route
    const count = counts.get(server) ?? nothingKept()
    if (standing.withheld) count.withheld++
    else if (!decide(policy, route).allowed) count.denied++
    if (standing.open) count.unreviewed++
    counts.set(server, count)
  }
  return counts
}

const resourcesOf = ({ resourceFilter }: ServerConfig, { resources }: Catalogue): number => {
  if (resourceFilter.length === 0) return resources.length
  const { admits } = makeUriFilter(resourceFilter)
  return resources.filter(({ uri }) => admits(uri)).length
}

/** What it waits for although nothing is wrong. */
export const waitsFor = (config: ServerConfig, state: ServerState): ServerStatus["waits"] => {
  if (state._tag === "Disabled") return config.enabled ? "person" : undefined
  const isAccount = state._tag === "Failed" && state.cause._tag === "AuthRequired" && state.cause.account !== undefined
  return isAccount ? "login" : undefined
}

const statusOf = (
  { caller, config, supervised }: AgentServer,
  kept: Partial<Kept>,
  { limiter, now }: Parts
): ServerStatus => {
  const { catalogue: known, lastError, node, relistMs, restarts, state } = supervised.snapshot()
  // A failed server keeps its lists for clear answers, but offers nothing.
  const catalogue = state._tag === "Failed" ? undefined : known
  const inFlight = limiter.inFlight?.(caller.process) ?? 0
  const circuit = limiter.openCircuits(caller.process)
  const info = state._tag === "Ready" ? state.info : undefined
  const waits = waitsFor(config, state)
  return {
    state: state._tag,
    transport: info?.transport ?? config.launch.kind,
    protocolVersion: info?.protocolVersion ?? null,
    tools: catalogue?.tools.length ?? 0,
    ...(state._tag === "Failed" ? {} : kept),
    resources: catalogue === undefined ? 0 : resourcesOf(config, catalogue),
    prompts: catalogue?.prompts.length ?? 0,
    pid: info?.pid ?? null,
    connectMs: info?.connectMs ?? null,
    restarts,
    lastError: lastError ?? null,
    ...(state._tag === "Backoff" ? { retryInMs: Math.max(0, state.until - now) } : {}),
    ...(circuit === undefined ? {} : { circuit }),
    ...(inFlight === 0 ? {} : { inFlight }),
    ...(info === undefined || relistMs === undefined ? {} : { relistMs }),
    ...(catalogue?.tooLarge === undefined ? {} : { tooLarge: catalogue.tooLarge }),
    ...(node === undefined ? {} : { node }),
    ...(waits === undefined ? {} : { waits })
  }
}

/** By name. Without a view, definitions have not been reviewed, and nothing is said about them. */
export const statusesOf = (
  servers: ReadonlyArray<AgentServer>,
  view: View | undefined,
  parts: Parts
): Readonly<Record<string, ServerStatus>> => {
  const counts = view === undefined ? undefined : keptOf(view, parts.policy)
  return Object.fromEntries(
    servers.map((server) => [
      server.config.name,
      statusOf(server, counts === undefined ? {} : (counts.get(server) ?? nothingKept()), parts)
    ])
  )
}
