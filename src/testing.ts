/**
 * `mcp-live/testing`: the whole runtime over MCP servers that live in memory, for tests of gateways and agents. Only
 * processes and sockets are stood in for: supervision, policy, sanitising and errors are the real thing.
 */
import "./system/supportedNode.ts"
import * as Layer from "effect/Layer"
import * as AuditLogLayer from "./layers/call/AuditLog.ts"
import * as ConfigSourceLayer from "./layers/config/ConfigSource.ts"
import { McpLive, type McpServices } from "./layers/McpLive.ts"
import type { McpLiveOptions } from "./layers/McpLive/options.ts"
import type { ConfigError } from "./schemas/config/ConfigError.ts"
import type { UnknownAgent } from "./schemas/call/UnknownAgent.ts"
import { layerServers, type TestServer, type TestServers } from "./testing/TestServers.ts"

export type * from "./testing/TestData.ts"
export * from "./testing/TestServers.ts"

/** `McpLive` over test servers: the whole runtime, with nothing outside of this process; the audit log has no files. */
export const McpLiveTest = (
  servers: Readonly<Record<string, TestServer>>,
  options: Omit<McpLiveOptions, "config"> = {}
): Layer.Layer<McpServices | TestServers, ConfigError | UnknownAgent> => {
  const configured = Object.fromEntries(
    Object.entries(servers).map(([name, { config }]) => [name, { command: "in-memory", ...config }])
  )
  const config = ConfigSourceLayer.layerObject({ mcp: { servers: configured } })
  const connected = layerServers(servers)
  return McpLive({
    ...options,
    replace: { config, connector: connected, audit: AuditLogLayer.layer, ...options.replace }
  }).pipe(Layer.provideMerge(connected))
}
