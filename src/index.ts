/**
 * What a library user imports. Gateways provide `McpLive`; `McpRuntime` and `AgentRuntimes` are what they use. Every
 * service can be replaced through `McpLiveOptions.replace`, with the contracts and our own layers from here.
 */

// ---- the runtime
export { McpLive, type McpLiveOptions, type McpServices, type Replacements } from "./layers/McpLive.ts"
export { AgentRuntimes } from "./services/AgentRuntimes.ts"
export { McpRuntime, type CallOptions, type McpRuntimeShape } from "./services/McpRuntime.ts"

// ---- contracts
export { AgentGateway } from "./services/AgentGateway.ts"
export { AuditLog, type CallRecord } from "./services/AuditLog.ts"
export { CallLimiter } from "./services/CallLimiter.ts"
export { ConfigSource } from "./services/ConfigSource.ts"
export { ContentSanitizer, type Sanitized } from "./services/ContentSanitizer.ts"
export { Redactor } from "./services/Redactor.ts"
export { SecretResolver } from "./services/SecretResolver.ts"
export { ServerConnector, type RequestOptions, type ServerConnection } from "./services/ServerConnector.ts"
export { ServerPool, type Snapshot, type SupervisedServer } from "./services/ServerPool.ts"
export { ToolBridge } from "./services/ToolBridge.ts"
export { ToolPolicy, type Decision, type ToolSubject } from "./services/ToolPolicy.ts"

// ---- our implementations, for compositions of your own
export * as AgentGatewayLayer from "./layers/AgentGateway.ts"
export * as AgentRuntimesLayer from "./layers/AgentRuntimes.ts"
export * as AuditLogLayer from "./layers/AuditLog.ts"
export * as CallLimiterLayer from "./layers/CallLimiter.ts"
export * as ConfigSourceLayer from "./layers/ConfigSource.ts"
export * as ContentSanitizerLayer from "./layers/ContentSanitizer.ts"
export * as McpRuntimeLayer from "./layers/McpRuntime.ts"
export * as RedactorLayer from "./layers/Redactor.ts"
export * as SecretResolverLayer from "./layers/SecretResolver.ts"
export * as ServerConnectorLayer from "./layers/ServerConnector.ts"
export * as ServerPoolLayer from "./layers/ServerPool.ts"
export * as ToolBridgeLayer from "./layers/ToolBridge.ts"
export * as ToolPolicyLayer from "./layers/ToolPolicy.ts"

// ---- data
export type { AgentEvent } from "./schemas/AgentEvent.ts"
export type { Catalogue, PromptDefinition, ResourceDefinition, ToolDefinition } from "./schemas/Catalogue.ts"
export { ConfigError } from "./schemas/ConfigError.ts"
export * as Defaults from "./schemas/Defaults.ts"
export type { Finding, Origin } from "./schemas/Finding.ts"
export type { AgentConfig, ConfigIssue, GatewayConfig, ModelConfig, ToolRules } from "./schemas/GatewayConfig.ts"
export { GatewayError } from "./schemas/GatewayError.ts"
export type { Json, JsonObject } from "./schemas/Json.ts"
export * as McpError from "./schemas/McpError.ts"
export { exposeNames, type NamingStyle } from "./schemas/Names.ts"
export type { Budget, Launch, ServerConfig } from "./schemas/ServerConfig.ts"
export type { ConnectionInfo, ServerState, ServerStatus } from "./schemas/ServerState.ts"
export type {
  AgentTool,
  Content,
  ErrorDetails,
  ImageContent,
  Progress,
  ResultDetails,
  TextContent,
  ToolResult
} from "./schemas/Tool.ts"
export { UnknownAgent } from "./schemas/UnknownAgent.ts"
