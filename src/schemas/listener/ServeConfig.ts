/** `serve`: what `mcp-live serve` gives to MCP clients, and who they are. */
import * as Schema from "effect/Schema"
import type { ConfigIssue } from "../config/ConfigIssue.ts"
import { choice, flag, key, list, optional, required, sound, text, whole } from "../config/Keys.ts"
import { section } from "../config/Sections.ts"
import { ISOLATIONS } from "../config/ServerKeys.ts"
import { DOOR_NAMES_MAX } from "../defaults/Listener.ts"
import {
  SERVE_CLIENTS_MAX,
  SERVE_HOST,
  SERVE_OWN_CEILING,
  SERVE_OWN_EACH_MAX,
  SERVE_OWN_MAX,
  SERVE_PAGE_ITEMS,
  SERVE_PAGE_ITEMS_CEILING
} from "../defaults/Serve.ts"
import { addressFault, hostFault, originFault } from "./HttpAccess.ts"

export const STRUCTURED_CONTENT = ["trusted", "always", "never"] as const
/** Whose structured content, which nobody has wrapped, is passed on: of servers with the content mode `trusted`, of all, of none. */
export type StructuredContent = (typeof STRUCTURED_CONTENT)[number]

const ownServers = whole("a number of servers", 1, SERVE_OWN_CEILING)

const Client = Schema.Struct({
  name: required(text, "the name of the client, for the log and for rules (`client:NAME`)"),
  token: required(text, "the bearer token of the client; may be a `secret://` reference"),
  agent: optional(text, "that of the program", "the agent whose servers and rules hold for it")
})

/** One that may connect over HTTP. */
export interface ServeClientConfig extends Schema.Schema.Type<typeof Client> {
  /** Why its token cannot be had. */
  readonly fault?: ConfigIssue | undefined
}

const KEYS = {
  clients: key(
    list(Client, "clients", SERVE_CLIENTS_MAX),
    [],
    `the clients that may connect over HTTP with a token, at most ${SERVE_CLIENTS_MAX}; without any, and without \`clients.issuers\`, the one with a generated token`
  ),
  structuredContent: key(
    choice(STRUCTURED_CONTENT),
    "trusted",
    'whose structured content and output schemas are passed on; they have no boundaries: those of servers with `contentMode: "trusted"`, those of all, or none'
  ),
  toolIndex: key(
    flag,
    false,
    "whether a client gets a search instead of very many tools, as the agent does; otherwise it gets all of them, page by page"
  ),
  pageSize: key(
    whole("a number of items", 1, SERVE_PAGE_ITEMS_CEILING),
    SERVE_PAGE_ITEMS,
    "tools, resources or prompts on one page of a list"
  ),
  host: key(
    sound(addressFault),
    SERVE_HOST,
    "the address that `--http` listens on; any other than a loopback address needs `hosts`, and a proxy with TLS in front of it"
  ),
  hosts: key(
    list(sound(hostFault), "names", DOOR_NAMES_MAX),
    [],
    `names to accept in the \`Host\` header besides that address, at most ${DOOR_NAMES_MAX}; a name without a port accepts any port`
  ),
  origins: key(
    list(sound(originFault), "origins", DOOR_NAMES_MAX),
    [],
    `origins of pages that may send requests from a browser, at most ${DOOR_NAMES_MAX}; \`*\` is not allowed`
  ),
  isolate: key(
    choice([false, ...ISOLATIONS]),
    false,
    "over HTTP, whether each session, client or person has processes of its own, of all servers whose entries have no `share`"
  ),
  maxOwnServers: key(
    ownServers,
    SERVE_OWN_MAX,
    "the limit of servers that run for one client, person or session alone, over all clients"
  ),
  maxOwnServersPerClient: key(ownServers, SERVE_OWN_EACH_MAX, "the same limit for each client")
}

export interface ServeConfig extends Omit<Schema.Struct.Type<typeof KEYS>, "clients"> {
  readonly clients: ReadonlyArray<ServeClientConfig>
}

export const SERVE = section("serve", KEYS)

export const DEFAULT_SERVE: ServeConfig = SERVE.defaults
