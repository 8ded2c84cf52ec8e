/** One server of a configuration in `{ servers }` form, with every key that it may have (docs/configuration.md). */
import type { Written } from "../../schemas/config/Keys.ts"
import type { SERVER_KEYS } from "../../schemas/config/ServerKeys.ts"

interface Keys extends Written<typeof SERVER_KEYS> {}

/** Sent with every request. All but the words may be `secret://` references, or hold `${VARIABLES}`. */
export type MCPServerAuth = Exclude<Keys["auth"], "oauth" | undefined>

type OfTransport = "type" | "transport"
type OfStdio = "command" | "args" | "env" | "cwd" | "workingDir" | "workingDirectory" | "sandbox" | "allowEnv"
type OfHttp = "url" | "headers" | "auth" | "allowPrivate"

/** What every server may have, however it is reached. */
export interface MCPServerKeys extends Omit<Keys, OfTransport | OfStdio | OfHttp> {
  /** For people: it has no effect. */
  readonly description?: string
}

/** A server that is a process. */
export interface MCPStdioServerConfig extends MCPServerKeys, Pick<Keys, Exclude<OfStdio, "command">> {
  /** May be left out. */
  readonly type?: "stdio" | "auto"
  /** The same as `type`. */
  readonly transport?: "stdio" | "auto"
  /** The program. */
  readonly command: string
}

/** A server at an address. */
export interface MCPHttpServerConfig extends MCPServerKeys, Pick<Keys, Exclude<OfHttp, "url">> {
  /** May be left out: Streamable HTTP, which falls back to SSE. */
  readonly type?: "streamable-http" | "streamableHttp" | "http" | "sse" | "auto"
  /** The same as `type`. */
  readonly transport?: "streamable-http" | "streamableHttp" | "http" | "sse" | "auto"
  /** Its address. */
  readonly url: string
}

/** A server, by how it is reached. */
export type MCPServerConfig = MCPStdioServerConfig | MCPHttpServerConfig
