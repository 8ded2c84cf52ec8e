/** What `mcp-live serve` gives to MCP clients, and who they are. */
import { SERVE_HOST, SERVE_OWN_EACH_MAX, SERVE_OWN_MAX, SERVE_PAGE_ITEMS } from "../defaults/Serve.ts"
import type { ConfigIssue } from "../config/GatewayConfig.ts"
import type { Isolation } from "../connection/Isolation.ts"

export const STRUCTURED_CONTENT = ["trusted", "always", "never"] as const
/** Whose structured content, which nobody has wrapped, is passed on: of servers with the content mode `trusted`, of all, of none. */
export type StructuredContent = (typeof STRUCTURED_CONTENT)[number]

export interface ServeClientConfig {
  readonly name: string
  /** May hold `secret://` references. */
  readonly token: string
  /** The agent whose servers and rules are its own; that of the program when left out. */
  readonly agent: string | undefined
  /** Why its token cannot be had. */
  readonly fault?: ConfigIssue | undefined
}

export interface ServeConfig {
  /** Who may connect over HTTP; whoever has the token in the data directory when there are none. */
  readonly clients: ReadonlyArray<ServeClientConfig>
  readonly structuredContent: StructuredContent
  /** Whether a client gets a search in place of very many tools, as the agent does; else all of them, page by page. */
  readonly toolIndex: boolean
  /** Items on one page of a list. */
  readonly pageSize: number
  /** The address that is listened on over HTTP. */
  readonly host: string
  /** Names that a request may be for besides that address. */
  readonly hosts: ReadonlyArray<string>
  /** Of pages that may ask. */
  readonly origins: ReadonlyArray<string>
  /** Which clients over HTTP have processes of their own, of servers whose entries do not say it (`share`). */
  readonly isolate: Isolation | false
  /** Servers that are started for one client alone, of all clients together and of each. */
  readonly maxOwnServers: number
  readonly maxOwnServersPerClient: number
}

export const DEFAULT_SERVE: ServeConfig = {
  clients: [],
  structuredContent: "trusted",
  toolIndex: false,
  pageSize: SERVE_PAGE_ITEMS,
  host: SERVE_HOST,
  hosts: [],
  origins: [],
  isolate: false,
  maxOwnServers: SERVE_OWN_MAX,
  maxOwnServersPerClient: SERVE_OWN_EACH_MAX
}
