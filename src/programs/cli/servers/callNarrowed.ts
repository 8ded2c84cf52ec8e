/** What of a configuration one call of a person needs, or a look at one tool. */
import { RESULT_STORE_ITEM_MAX_BYTES } from "../../../schemas/defaults/Results.ts"
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { namePrefix } from "../../../schemas/call/Names.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"

/** A person has no context that a long result would fill: what is kept for a model in pieces is shown whole. */
const WHOLE = { bytes: RESULT_STORE_ITEM_MAX_BYTES, blocks: 10_000 }

export interface CallLook {
  /** Results are for a person: whole, and neither marked nor encoded. */
  readonly forPerson: boolean
  /** The server's text and nothing around it; it is cleaned all the same. */
  readonly raw: boolean
}

/** Whether the tool of this name may be the server's; `name` is an exposed name or `server/tool`. */
const mayOwn = (name: string, { name: server, toolPrefix }: ServerConfig): boolean =>
  name.startsWith(`${server}/`) || name.startsWith(namePrefix("gateway", toolPrefix))

const shownTo = (server: ServerConfig, { forPerson, raw }: CallLook): ServerConfig => {
  if (!forPerson && !raw) return server
  const mode = raw ? "trusted" : server.content.mode === "trusted" ? "trusted" : "delimit"
  return { ...server, budget: WHOLE, toolBudgets: [], content: { ...server.content, mode } }
}

type Narrow = (config: GatewayConfig) => GatewayConfig

/** Only the servers that the tool may belong to are started; all of them where it can be nobody's, for a suggestion. */
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
