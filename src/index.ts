/**
 * The main entry of the package. Gateways provide `McpLive` and use `McpRuntime` and `AgentRuntimes`. Every service can be
 * replaced through `McpLiveOptions.replace`; the contracts and our own layers are exported here.
 */

import "./system/supportedNode.ts"

// ---- the runtime
export { LoginLive, McpLive, type McpServices } from "./layers/McpLive.ts"
export type { McpLiveOptions, Replacements } from "./layers/McpLive/options.ts"
export { AgentRuntimes, type SessionRuntime, type SessionServers } from "./services/call/AgentRuntimes.ts"
export type { Caller } from "./schemas/call/Caller.ts"
export { McpRuntime, type AskOptions, type CallOptions, type McpRuntimeShape } from "./services/call/McpRuntime.ts"

// ---- for programs that do not use Effect
export { loadMCPServers, type LoadMCPServersOptions, type ToolAccess } from "./programs/loadMCPServers.ts"
export type { MCPSecrets, MCPServersConfig } from "./programs/loadMCPServers/config.ts"
export type {
  MCPHttpServerConfig,
  MCPServerAuth,
  MCPServerConfig,
  MCPServerKeys,
  MCPStdioServerConfig
} from "./programs/loadMCPServers/MCPServerConfig.ts"
export type { HostCallbacks } from "./programs/loadMCPServers/promiseHost.ts"
export type { LogRecord } from "./programs/loadMCPServers/log.ts"
export { ProviderClosed } from "./programs/loadMCPServers/ProviderClosed.ts"
export { MCPToolProvider, type ProviderOptions } from "./programs/loadMCPServers/provider.ts"
export type { CompletionInput, CompletionSubject } from "./programs/loadMCPServers/requests.ts"
export type { ToolRegistry } from "./programs/loadMCPServers/registry.ts"
export type { MCPServerState, MCPServerStatus } from "./programs/loadMCPServers/status.ts"
export type { ExecuteResult, Tool, ToolUpdate } from "./programs/loadMCPServers/Tool.ts"

// ---- contracts
export { AgentGateway, type ApproveCall, type AskedCall, type SendOptions } from "./services/agent/AgentGateway.ts"
export { Approvals, type Approve, type Approver } from "./services/call/Approvals.ts"
export { AuditLog, type ApprovalRecord, type CallRecord, type DefinitionRecord } from "./services/call/AuditLog.ts"
export { AuditTrail, type AuditLine } from "./services/call/AuditTrail.ts"
export { Authorizer, type Authorization, type LoginOptions } from "./services/login/Authorizer.ts"
export { CallLimiter, type LimitedCaller } from "./services/call/CallLimiter.ts"
export { ConfigSource } from "./services/config/ConfigSource.ts"
export { ContentSanitizer, type Sanitized } from "./services/content/ContentSanitizer.ts"
export {
  DefinitionLedger,
  type Decision as PinDecision,
  type Kept as KeptPins,
  type Offer,
  type Review
} from "./services/call/DefinitionLedger.ts"
export { HostFeatures } from "./services/content/HostFeatures.ts"
export { ModelSource, type ModelFailure, type OpenModel } from "./services/agent/ModelSource.ts"
export {
  NetworkGuard,
  type GuardedFetch,
  type GuardedFetchOptions,
  type GuardedDownloads
} from "./services/connection/NetworkGuard.ts"
export { PromptBridge } from "./services/content/PromptBridge.ts"
export { Redactor } from "./services/content/Redactor.ts"
export { ResourceBridge } from "./services/content/ResourceBridge.ts"
export { ResultStore, type Kept } from "./services/call/ResultStore.ts"
export { Sampler } from "./services/agent/Sampler.ts"
export { SecretResolver } from "./services/secret/SecretResolver.ts"
export {
  ServerConnector,
  type RequestOptions,
  type ServerConnection,
  type ServerEvent
} from "./services/connection/ServerConnector.ts"
export { ServerPool, type Snapshot, type SupervisedServer } from "./services/connection/ServerPool.ts"
export { SessionTools } from "./services/agent/SessionTools.ts"
export { TokenStore, type Change } from "./services/login/TokenStore.ts"
export { ToolBridge, type ResultOrigin } from "./services/call/ToolBridge.ts"
export { ToolPolicy, type Decision, type ToolSubject } from "./services/call/ToolPolicy.ts"

// ---- our layers, for compositions of your own
export * as AgentGatewayLayer from "./layers/agent/AgentGateway.ts"
export * as AgentRuntimesLayer from "./layers/call/AgentRuntimes.ts"
export * as ApprovalsLayer from "./layers/call/Approvals.ts"
export * as AuditLogLayer from "./layers/call/AuditLog.ts"
export * as AuditTrailLayer from "./layers/call/AuditTrail.ts"
export * as AuthorizerLayer from "./layers/login/Authorizer.ts"
export * as CallLimiterLayer from "./layers/call/CallLimiter.ts"
export * as ConfigSourceLayer from "./layers/config/ConfigSource.ts"
export * as ContentSanitizerLayer from "./layers/content/ContentSanitizer.ts"
export * as DefinitionLedgerLayer from "./layers/call/DefinitionLedger.ts"
export * as HostFeaturesLayer from "./layers/content/HostFeatures.ts"
export * as McpRuntimeLayer from "./layers/call/McpRuntime.ts"
export * as ModelSourceLayer from "./layers/agent/ModelSource.ts"
export * as NetworkGuardLayer from "./layers/connection/NetworkGuard.ts"
export * as PromptBridgeLayer from "./layers/content/PromptBridge.ts"
export * as RedactorLayer from "./layers/content/Redactor.ts"
export * as ResourceBridgeLayer from "./layers/content/ResourceBridge.ts"
export * as ResultStoreLayer from "./layers/call/ResultStore.ts"
export * as SamplerLayer from "./layers/agent/Sampler.ts"
export * as SecretResolverLayer from "./layers/secret/SecretResolver.ts"
export * as ServerConnectorLayer from "./layers/connection/ServerConnector.ts"
export * as ServerPoolLayer from "./layers/connection/ServerPool.ts"
export * as SessionToolsLayer from "./layers/agent/SessionTools.ts"
export * as TokenStoreLayer from "./layers/login/TokenStore.ts"
export * as ToolBridgeLayer from "./layers/call/ToolBridge.ts"
export * as ToolPolicyLayer from "./layers/call/ToolPolicy.ts"

// ---- data
export type { AcpConfig } from "./schemas/config/AcpConfig.ts"
export type { AgentEvent } from "./schemas/agent/AgentEvent.ts"
export type {
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalRequest,
  RememberedApproval,
  Verdict
} from "./schemas/call/Approval.ts"
export { DEFAULT_CALL_LIMITS, type CallLimits } from "./schemas/call/CallLimits.ts"
export { parseAuditLine, type AuditRecord } from "./schemas/call/AuditRecord.ts"
export type { Catalogue, PromptDefinition, ResourceDefinition, ToolDefinition } from "./schemas/connection/Catalogue.ts"
export { ConfigError } from "./schemas/config/ConfigError.ts"
export type { Conversation, ConversationInfo, Turn } from "./schemas/agent/Conversation.ts"
export { DEFAULT_CONTENT_POLICY, type ContentMode, type ContentPolicy } from "./schemas/content/ContentPolicy.ts"
export type { Finding, FindingKind } from "./schemas/content/Finding.ts"
export type { Origin } from "./schemas/call/Origin.ts"
export { DEFAULT_SECRETS, type SecretsConfig } from "./schemas/secret/SecretsConfig.ts"
export type { AgentConfig, GatewayConfig, ModelConfig, ToolRules } from "./schemas/config/GatewayConfig.ts"
export type { ConfigIssue } from "./schemas/config/ConfigIssue.ts"
export { GatewayError } from "./schemas/agent/GatewayError.ts"
export type {
  ElicitationRequest,
  ElicitationResult,
  ElicitationValue,
  Root,
  SamplingContent,
  SamplingMessage,
  SamplingRequest,
  SamplingResult
} from "./schemas/content/HostRequest.ts"
export { HostRefusal } from "./schemas/content/HostRequest.ts"
export { LoginFailed, type Granted, type LoggedOut, type LoginPage } from "./schemas/login/Login.ts"
export type { OAuthConfig } from "./schemas/login/OAuthConfig.ts"
export type { Credentials, ServerIdentity, Tokens } from "./schemas/login/Credentials.ts"
export { TokenStoreFailed } from "./schemas/login/TokenStoreFailed.ts"
export type { Json, JsonObject } from "./schemas/data/Json.ts"
export * as McpError from "./McpError.ts"
export { exposeNames, type NamingStyle, type Separator } from "./schemas/call/Names.ts"
export type {
  AgentPrompt,
  AgentPromptArgument,
  Completion,
  CompletionArgument,
  CompletionRef,
  PromptResult
} from "./schemas/content/Prompt.ts"
export type {
  AgentResource,
  AgentResourceTemplate,
  ResourcePiece,
  ResourceReading
} from "./schemas/content/Resource.ts"
export { normalizeSchema, type Provider } from "./schemas/call/NormalizeSchema.ts"
export type { PinMode } from "./schemas/call/PinMode.ts"
export type { Pinned, ServerPins, PinCheck, ToolPin, Verdict as PinVerdict } from "./schemas/call/Pins.ts"
export { PinsFailed } from "./schemas/call/PinsFailed.ts"
export { serverConfig } from "./schemas/connection/ServerConfig.ts"
export type { Budget, Launch, ServerConfig } from "./schemas/connection/ServerConfig.ts"
export type { ConnectionInfo, ServerState, ServerStatus } from "./schemas/connection/ServerState.ts"
export type {
  AgentTool,
  Content,
  ErrorDetails,
  ImageContent,
  Original,
  Progress,
  ResultDetails,
  TextContent,
  ToolAnnotations,
  ToolResult
} from "./schemas/call/Tool.ts"
export { UnknownAgent } from "./schemas/call/UnknownAgent.ts"
export type { UserFile, UserMessage, UserPart, UserText } from "./schemas/agent/UserMessage.ts"
