/**
 * Servers that the client itself is (`type: "acp"`, unstable): MCP inside of the ACP connection. Each becomes an address on
 * this machine's loopback, with a token of its own that only the session is given: from there on it is a server like any
 * other, with the same limits. The addresses end with the connection.
 */
import type { AgentContext } from "@agentclientprotocol/sdk"
import { McpOverAcpHttpBridge } from "@agentclientprotocol/sdk/experimental/mcp-http"
import {
  isMcpServerAcp,
  MCP_MESSAGE_METHOD,
  McpOverAcpCaller,
  type McpMessageParams
} from "@agentclientprotocol/sdk/unstable"
import { ACP_LIST_MAX_ITEMS, ACP_TUNNEL_MAX_BYTES, ACP_TUNNEL_MAX_REQUESTS } from "../../schemas/defaults/Acp.ts"
import { VERSION } from "../../schemas/data/Version.ts"
import { isObject } from "../../schemas/data/Json.ts"

export interface Tunnel {
  readonly method: string
  /** What the client says in the middle of a call. */
  readonly notified: (client: AgentContext, params: unknown) => void
  /** The servers of a session with addresses in place of those that are the client; all others as they are. */
  readonly adapt: (client: AgentContext, mcpServers: unknown) => Promise<unknown>
}

const isMessage = (params: unknown): params is McpMessageParams =>
  isObject(params) &&
  [params["serverId"], params["requestId"], params["method"]].every((one) => typeof one === "string")

export const makeTunnel = (): Tunnel => {
  const caller = new McpOverAcpCaller({ clientInfo: { name: "mcp-live", version: VERSION } })
  const bridge = new McpOverAcpHttpBridge(caller, {
    maxActiveRequests: ACP_TUNNEL_MAX_REQUESTS,
    maxRequestBodyBytes: ACP_TUNNEL_MAX_BYTES,
    maxBufferedResponseBytes: ACP_TUNNEL_MAX_BYTES
  })
  return {
    method: MCP_MESSAGE_METHOD,
    notified: (client, params) => {
      if (isMessage(params)) caller.handleNotification({ params, client })
    },
    adapt: async (client, mcpServers) =>
      // Of more than may be nothing is made: they are refused.
      Array.isArray(mcpServers) && mcpServers.length <= ACP_LIST_MAX_ITEMS
        ? Promise.all(
            mcpServers.map((server: unknown) => (isMcpServerAcp(server) ? bridge.toHttp(client, server) : server))
          )
        : mcpServers
  }
}
