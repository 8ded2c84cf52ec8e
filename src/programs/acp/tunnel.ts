/**
 * Servers that the client itself provides (`type: "acp"`, unstable): MCP inside the ACP connection. Each gets a URL on the
 * loopback address with its own token, which only the session knows. From there on it is an ordinary server with the usual
 * limits. The URLs end with the connection.
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
  /** Passes on a notification that the client sends during a call. */
  readonly notified: (client: AgentContext, params: unknown) => void
  /** The servers of a session, with URLs in place of those that the client provides; all others unchanged. */
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
      // Longer lists are left as they are: they are refused later.
      Array.isArray(mcpServers) && mcpServers.length <= ACP_LIST_MAX_ITEMS
        ? Promise.all(
            mcpServers.map((server: unknown) => (isMcpServerAcp(server) ? bridge.toHttp(client, server) : server))
          )
        : mcpServers
  }
}
