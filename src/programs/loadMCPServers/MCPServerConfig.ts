/** One server of a configuration in `{ servers }` form, with all its keys (docs/configuration.md). */
import type { Written } from "../../schemas/config/Keys.ts"
import type { SERVER_KEYS } from "../../schemas/config/ServerKeys.ts"

interface Keys extends Written<typeof SERVER_KEYS> {}

/** Sent with every request. Values may be `secret://` references or contain `${VARIABLES}`. */
export type MCPServerAuth = Exclude<Keys["auth"], "oauth" | undefined>

type OfTransport = "type" | "transport"
type OfStdio = "command" | "args" | "env" | "cwd" | "workingDir" | "workingDirectory" | "sandbox" | "allowEnv"
type OfHttp = "url" | "headers" | "auth" | "allowPrivate"

/** The keys that every server may have. */
export interface MCPServerKeys extends Omit<Keys, OfTransport | OfStdio | OfHttp> {
  /** For people; it has no effect. */
  readonly description?: string
}

/** A server that runs as a process. */
export interface MCPStdioServerConfig extends MCPServerKeys, Pick<Keys, Exclude<OfStdio, "command">> {
  /** Optional. */
  readonly type?: "stdio" | "auto"
  /** Another name for `type`. */
  readonly transport?: "stdio" | "auto"
  /** The program to start. */
  readonly command: string
}

/** A server with a URL. */
export interface MCPHttpServerConfig extends MCPServerKeys, Pick<Keys, Exclude<OfHttp, "url">> {
  /** Optional. Default: Streamable HTTP, with SSE as fallback. */
  readonly type?: "streamable-http" | "streamableHttp" | "http" | "sse" | "auto"
  /** Another name for `type`. */
  readonly transport?: "streamable-http" | "streamableHttp" | "http" | "sse" | "auto"
  /** Its URL. */
  readonly url: string
}

/** A server, local or remote. */
export type MCPServerConfig = MCPStdioServerConfig | MCPHttpServerConfig
