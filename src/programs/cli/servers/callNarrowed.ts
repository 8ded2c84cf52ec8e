/** Reduces a configuration to what one call by a person needs, or a look at one tool. */
import { RESULT_STORE_ITEM_MAX_BYTES } from "../../../schemas/defaults/Results.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { namePrefix } from "../../../schemas/call/Names.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"

/** A person has no context window to fill: shows results whole that a model would read in pieces. */
const WHOLE = { bytes: RESULT_STORE_ITEM_MAX_BYTES, blocks: 10_000 }

export interface CallLook {
  /** Results are for a person: whole, without marks or encoding. */
  readonly forPerson: boolean
  /** The server's text only; it is still cleaned. */
  readonly raw: boolean
}

/** Whether the tool of this name may belong to the server; `name` is an exposed name or `server/tool`. */
const mayOwn = (name: string, { name: server, toolPrefix }: ServerConfig): boolean =>
  name.startsWith(`${server}/`) || name.startsWith(namePrefix("gateway", toolPrefix))

const shownTo = (server: ServerConfig, { forPerson, raw }: CallLook): ServerConfig => {
  if (!forPerson && !raw) return server
  const mode = raw ? "trusted" : server.content.mode === "trusted" ? "trusted" : "delimit"
  return { ...server, budget: WHOLE, toolBudgets: [], content: { ...server.content, mode } }
}

type Narrow = (config: GatewayConfig) => GatewayConfig

/** Starts only the servers that may have the tool; all of them when none may, so that a similar name can be suggested. */
export const ownersOf =
  (name: string): Narrow =>
  (config) => ({
    ...config,
    agents: config.agents.map((agent) => {
      const owners = agent.servers.filter((server) => mayOwn(name, server))
      return owners.length > 0 ? { ...agent, servers: owners } : agent
    })
  })

export const narrowedTo =
  (name: string, look: CallLook): Narrow =>
  (config) => {
    const narrowed = ownersOf(name)(config)
    return {
      ...narrowed,
      agents: narrowed.agents.map((agent) => ({
        ...agent,
        servers: agent.servers.map((server) => shownTo(server, look))
      }))
    }
  }
