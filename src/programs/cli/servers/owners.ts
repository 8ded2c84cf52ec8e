/** Reduces a configuration to the servers that one call needs, or a look at one tool. */
import type { GatewayConfig } from "../../../schemas/config/GatewayConfig.ts"
import { namePrefix } from "../../../schemas/call/Names.ts"
import type { ServerConfig } from "../../../schemas/connection/ServerConfig.ts"

/** Whether the tool of this name may belong to the server; `name` is an exposed name or `server/tool`. Of a server's own name, too. */
const mayOwn = (name: string, { name: server, toolPrefix }: ServerConfig): boolean =>
  name === server || name.startsWith(`${server}/`) || name.startsWith(namePrefix("gateway", toolPrefix))

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
