/**
 * What a library user imports. Gateways provide `McpLive`; `McpRuntime` and `AgentRuntimes` are what they use. Every
 * service can be replaced through `McpLiveOptions.replace`, with the contracts and our own layers from here.
 */

import "./system/supportedNode.ts"

// ---- the runtime
export { LoginLive, McpLive, type McpLiveOptions, type McpServices, type Replacements } from "./layers/McpLive.ts"
export { AgentRuntimes, type SessionRuntime, type SessionServers } from "./services/AgentRuntimes.ts"
export { McpRuntime, type CallOptions, type McpRuntimeShape } from "./services/McpRuntime.ts"

// ---- for programs that do not speak Effect
export { loadMCPServers, type LoadMCPServersOptions, type ToolAccess } from "./programs/loadMCPServers.ts"
export type { MCPSecrets, MCPServersConfig } from "./programs/loadMCPServers/config.ts"
export type {
  MCPHttpServerConfig,
  MCPServerAuth,
  MCPServerConfig,
  MCPServerKeys,
  MCPStdioServerConfig
} from "./programs/loadMCPServers/MCPServerConfig.ts"
export type { HostCallbacks } from "./programs/loadMCPServers/host.ts"
export type { LogRecord } from "./programs/loadMCPServers/log.ts"
export { ProviderClosed } from "./programs/loadMCPServers/ProviderClosed.ts"
export { MCPToolProvider, type ProviderOptions } from "./programs/loadMCPServers/provider.ts"
export type { CompletionInput, CompletionSubject } from "./programs/loadMCPServers/requests.ts"
export type { ToolRegistry } from "./programs/loadMCPServers/registry.ts"
export type { MCPServerState, MCPServerStatus } from "./programs/loadMCPServers/status.ts"
export type { ExecuteResult, Tool, ToolUpdate } from "./programs/loadMCPServers/Tool.ts"

// ---- contracts
export { AgentGateway, type ApproveCall, type AskedCall, type SendOptions } from "./services/AgentGateway.ts"
export { Approvals, type Approve, type Approver } from "./services/Approvals.ts"
export { AuditLog, type ApprovalRecord, type CallRecord, type DefinitionRecord } from "./services/AuditLog.ts"
export { AuditTrail, type AuditLine } from "./services/AuditTrail.ts"
export { Authorizer, type Authorization, type LoginOptions } from "./services/Authorizer.ts"
export { CallLimiter, type Caller } from "./services/CallLimiter.ts"
export { ConfigSource } from "./services/ConfigSource.ts"
export { ContentSanitizer, type Sanitized } from "./services/ContentSanitizer.ts"
export {
  DefinitionLedger,
  type Decision as PinDecision,
  type Kept as KeptPins,
  type Offer,
  type Review
} from "./services/DefinitionLedger.ts"
export { HostFeatures } from "./services/HostFeatures.ts"
export { ModelSource, type ModelFailure, type OpenModel } from "./services/ModelSource.ts"
export { NetworkGuard, type Door, type DoorOptions, type SuppliedDoor } from "./services/NetworkGuard.ts"
export { PromptBridge } from "./services/PromptBridge.ts"
export { Redactor } from "./services/Redactor.ts"
export { ResourceBridge } from "./services/ResourceBridge.ts"
export { ResultStore, type Kept } from "./services/ResultStore.ts"
export { Sampler } from "./services/Sampler.ts"
export { SecretResolver } from "./services/SecretResolver.ts"
export {
  ServerConnector,
  type RequestOptions,
  type ServerConnection,
  type ServerEvent
} from "./services/ServerConnector.ts"
export { ServerPool, type Snapshot, type SupervisedServer } from "./services/ServerPool.ts"
export { SessionTools } from "./services/SessionTools.ts"
export { TokenStore, type Change } from "./services/TokenStore.ts"
export { ToolBridge, type ResultOrigin } from "./services/ToolBridge.ts"
export { ToolPolicy, type Decision, type ToolSubject } from "./services/ToolPolicy.ts"

// ---- our implementations, for compositions of your own
export * as AgentGatewayLayer from "./layers/AgentGateway.ts"
export * as AgentRuntimesLayer from "./layers/AgentRuntimes.ts"
export * as ApprovalsLayer from "./layers/Approvals.ts"
export * as AuditLogLayer from "./layers/AuditLog.ts"
export * as AuditTrailLayer from "./layers/AuditTrail.ts"
export * as AuthorizerLayer from "./layers/Authorizer.ts"
export * as CallLimiterLayer from "./layers/CallLimiter.ts"
export * as ConfigSourceLayer from "./layers/ConfigSource.ts"
export * as ContentSanitizerLayer from "./layers/ContentSanitizer.ts"
export * as DefinitionLedgerLayer from "./layers/DefinitionLedger.ts"
export * as HostFeaturesLayer from "./layers/HostFeatures.ts"
export * as McpRuntimeLayer from "./layers/McpRuntime.ts"
export * as ModelSourceLayer from "./layers/ModelSource.ts"
export * as NetworkGuardLayer from "./layers/NetworkGuard.ts"
export * as PromptBridgeLayer from "./layers/PromptBridge.ts"
export * as RedactorLayer from "./layers/Redactor.ts"
export * as ResourceBridgeLayer from "./layers/ResourceBridge.ts"
export * as ResultStoreLayer from "./layers/ResultStore.ts"
export * as SamplerLayer from "./layers/Sampler.ts"
export * as SecretResolverLayer from "./layers/SecretResolver.ts"
export * as ServerConnectorLayer from "./layers/ServerConnector.ts"
export * as ServerPoolLayer from "./layers/ServerPool.ts"
export * as SessionToolsLayer from "./layers/SessionTools.ts"
export * as TokenStoreLayer from "./layers/TokenStore.ts"
export * as ToolBridgeLayer from "./layers/ToolBridge.ts"
export * as ToolPolicyLayer from "./layers/ToolPolicy.ts"

// ---- data
export type { AcpConfig } from "./schemas/AcpConfig.ts"
export type { AgentEvent } from "./schemas/AgentEvent.ts"
export type {
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalRequest,
  RememberedApproval,
  Verdict
} from "./schemas/Approval.ts"
export { DEFAULT_CALL_LIMITS, type CallLimits } from "./schemas/CallLimits.ts"
export { parseAuditLine, type AuditRecord } from "./schemas/AuditRecord.ts"
export type { Catalogue, PromptDefinition, ResourceDefinition, ToolDefinition } from "./schemas/Catalogue.ts"
export { ConfigError } from "./schemas/ConfigError.ts"
export type { Conversation, ConversationInfo, Turn } from "./schemas/Conversation.ts"
export { DEFAULT_CONTENT_POLICY, type ContentMode, type ContentPolicy } from "./schemas/ContentPolicy.ts"
export type { Finding, FindingKind } from "./schemas/Finding.ts"
export type { Origin } from "./schemas/Origin.ts"
export { DEFAULT_SECRETS, type SecretsConfig } from "./schemas/SecretsConfig.ts"
export type { AgentConfig, ConfigIssue, GatewayConfig, ModelConfig, ToolRules } from "./schemas/GatewayConfig.ts"
export { GatewayError } from "./schemas/GatewayError.ts"
export type {
  ElicitationRequest,
  ElicitationResult,
  ElicitationValue,
  Root,
  SamplingContent,
  SamplingMessage,
  SamplingRequest,
  SamplingResult
} from "./schemas/HostRequest.ts"
export { HostRefusal } from "./schemas/HostRequest.ts"
export { LoginFailed, type Granted, type LoggedOut, type LoginPage } from "./schemas/Login.ts"
export type { OAuthConfig } from "./schemas/OAuthConfig.ts"
export type { Credentials, ServerIdentity, Tokens } from "./schemas/Credentials.ts"
export { TokenStoreFailed } from "./schemas/TokenStoreFailed.ts"
export type { Json, JsonObject } from "./schemas/Json.ts"
export * as McpError from "./schemas/McpError.ts"
export { exposeNames, type NamingStyle, type Separator } from "./schemas/Names.ts"
export type {
  AgentPrompt,
  AgentPromptArgument,
  Completion,
  CompletionArgument,
  CompletionRef,
  PromptResult
} from "./schemas/Prompt.ts"
export type { AgentResource, AgentResourceTemplate, ResourcePiece, ResourceReading } from "./schemas/Resource.ts"
export { normalizeSchema, type Provider } from "./schemas/NormalizeSchema.ts"
export type { PinMode } from "./schemas/PinMode.ts"
export type { Pinned, ServerPins, Standing, ToolPin, Verdict as PinVerdict } from "./schemas/Pins.ts"
export { PinsFailed } from "./schemas/PinsFailed.ts"
export { serverConfig } from "./schemas/ServerConfig.ts"
export type { Budget, Launch, ServerConfig } from "./schemas/ServerConfig.ts"
export type { ConnectionInfo, ServerState, ServerStatus } from "./schemas/ServerState.ts"
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
} from "./schemas/Tool.ts"
export { UnknownAgent } from "./schemas/UnknownAgent.ts"
export type { UserFile, UserMessage, UserPart, UserText } from "./schemas/UserMessage.ts"
