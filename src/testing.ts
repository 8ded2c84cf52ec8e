/**
 * `mcp-live/testing`: the whole runtime over MCP servers in memory, for tests of gateways and agents. Only processes and
 * sockets are replaced: supervision, policy, sanitizing and errors are the real ones.
 */
import "./system/supportedNode.ts"
import * as Layer from "effect/Layer"
import * as AuditLogLayer from "./layers/call/AuditLog.ts"
import * as ConfigSourceLayer from "./layers/config/ConfigSource.ts"
import { McpLive, type McpServices } from "./layers/McpLive.ts"
import type { McpLiveOptions } from "./layers/McpLive/options.ts"
import type { ConfigError } from "./schemas/config/ConfigError.ts"
import type { UnknownAgent } from "./schemas/call/UnknownAgent.ts"
import { inStep } from "./testing/inStep.ts"
import { layerServers, type TestServer, type TestServers } from "./testing/TestServers.ts"

export type * from "./testing/TestData.ts"
export * from "./testing/TestServers.ts"

/** `McpLive` over test servers: the whole runtime within this process. The audit log writes no files. */
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
  }).pipe(Layer.provideMerge(connected), Layer.provideMerge(inStep))
}
