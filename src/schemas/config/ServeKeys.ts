/** Every key that the section `serve` may have, for its reader and for the reference page. */
import { DOOR_NAMES_MAX } from "../defaults/Listener.ts"
import {
  SERVE_CLIENTS_MAX,
  SERVE_HOST,
  SERVE_OWN_EACH_MAX,
  SERVE_OWN_MAX,
  SERVE_PAGE_ITEMS
} from "../defaults/Serve.ts"
import type { SecretsKeyDoc } from "./SecretsKeys.ts"

export const SERVE_KEYS = {
  clients: {
    type: "list of `{ name, token, agent }`",
    fallback: "one generated token",
    about: `who may connect over HTTP, at most ${SERVE_CLIENTS_MAX}: a name for the log, a token (a \`secret://\` reference), and the agent whose servers and rules hold for it`
  },
  structuredContent: {
    type: "`trusted`, `always`, `never`",
    fallback: "`trusted`",
    about:
      'whose structured content and output schemas are passed on, which no boundary surrounds: those of servers with `content: { mode: "trusted" }`, those of all, or none'
  },
  toolIndex: {
    type: "boolean",
    fallback: "false",
    about:
      "whether a client gets a search in place of very many tools, as the agent does, instead of all of them page by page"
  },
  pageSize: {
    type: "number",
    fallback: `${SERVE_PAGE_ITEMS}`,
    about: "tools, resources or prompts on one page of a list"
  },
  host: {
    type: "address",
    fallback: `\`${SERVE_HOST}\``,
    about:
      "the address that `--http` listens on; one that is no loopback needs `hosts` and a proxy with TLS in front of it"
  },
  hosts: {
    type: "list of names",
    fallback: "none",
    about: `names that a request may be for besides that address, as its \`Host\` header has them, at most ${DOOR_NAMES_MAX}; any port where they have none`
  },
  origins: {
    type: "list of origins",
    fallback: "none",
    about: `of pages that may ask from a browser, at most ${DOOR_NAMES_MAX}; \`*\` is none of them`
  },
  isolate: {
    type: "`session`, `client`, false",
    fallback: "false",
    about:
      "over HTTP, whether each session or each client has processes of its own, of all servers whose entries have no `share`"
  },
  maxOwnServers: {
    type: "number",
    fallback: `${SERVE_OWN_MAX}`,
    about: "servers that run for one client or session alone, of all clients together"
  },
  maxOwnServersPerClient: { type: "number", fallback: `${SERVE_OWN_EACH_MAX}`, about: "the same of each client" }
} satisfies Record<string, SecretsKeyDoc>

export const SERVE_CLIENT_KEYS = ["name", "token", "agent"] as const
