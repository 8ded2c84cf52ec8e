/** `acp`: what an ACP client (an editor) may bring for a session. OpenClaw's own top-level `acp` is something else. */
import type * as Schema from "effect/Schema"
import { BACKENDS } from "../agent/GatewayChoice.ts"
import {
  ACP_MAX_SERVERS,
  ACP_MAX_TOOLS,
  ACP_SERVERS_CEILING,
  ACP_TOOL_TIMEOUT_MS,
  ACP_TOOLS_CEILING
} from "../defaults/Acp.ts"
import { CALLS_PER_MINUTE } from "../defaults/CallLimits.ts"
import { TIMER_MAX_MS } from "../defaults/Configuration.ts"
import { choice, exactNames, flag, globs, key, optional, whole } from "./Keys.ts"
import { LIMITS } from "./Limits.ts"
import { hasSome, section } from "./Sections.ts"
import { noted } from "./Notes.ts"

const KEYS = {
  maxServers: key(
    whole("a number of servers, or 0 for none", 0, ACP_SERVERS_CEILING),
    ACP_MAX_SERVERS,
    "the most MCP servers that a client may bring for one session; 0: none"
  ),
  maxTools: key(
    whole("a number of tools, or 0 for none", 0, ACP_TOOLS_CEILING),
    ACP_MAX_TOOLS,
    "the most tools of all these servers together; more are left out, and the client is told"
  ),
  callsPerMinute: key(
    LIMITS.perMinute,
    CALLS_PER_MINUTE,
    "calls per minute of each of these servers, on average; 0: no limit"
  ),
  burst: optional(
    LIMITS.burst,
    "as `callsPerMinute`",
    "calls of each of these servers that may come at once after a pause"
  ),
  toolTimeout: key(
    noted(whole("a positive number of milliseconds", 1, TIMER_MAX_MS), { written: "milliseconds" }),
    ACP_TOOL_TIMEOUT_MS,
    "how long a call of these servers may be silent"
  ),
  stdio: key(flag, true, "whether these servers may be programs on this machine"),
  allowPrivate: key(
    flag,
    false,
    "whether their URLs may lead to private addresses; loopback addresses are always allowed"
  ),
  allowHosts: optional(
    globs,
    "all hosts",
    "globs; their URLs may name only these hosts; `localhost` matches this machine in every spelling"
  ),
  denyHosts: key(
    globs,
    [],
    "globs; their URLs must not name these hosts, even if `allowHosts` does; `localhost` matches this machine in every spelling, and names that resolve to it"
  ),
  allowEnv: key(
    exactNames,
    [],
    "variables that a client may set for these servers although they can make a program run other code (`NODE_OPTIONS`, …)"
  ),
  backend: optional(
    choice(BACKENDS),
    "as configured",
    "which agent answers: the built-in one, or that of an [OpenClaw gateway](acp.md#the-agent-of-an-openclaw-gateway); `--backend` overrides it"
  ),
  contextWindow: key(
    whole("a number of tokens, or 0 for unknown", 0),
    0,
    "the context window of the model in tokens, for clients that show how full it is; 0: unknown"
  ),
  dynamicTools: key(
    flag,
    false,
    "whether tools that these servers add later are added to the session, even if the client does not ask for it"
  ),
  resourceContext: key(
    flag,
    true,
    "whether the content of these servers' resources is put before the agent's conversation"
  ),
  roots: key(
    flag,
    true,
    "whether these servers are told the directory of the session when they ask where to work (roots)"
  )
}

/** What an editor may bring for a session (the section `acp` of a configuration). */
export interface AcpConfig extends Schema.Struct.Type<typeof KEYS> {}

const { backend: _, ...ALONE } = KEYS

/** OpenClaw's own section has a `backend`, too, with other values. */
export const ACP = section(
  "acp",
  KEYS,
  (value) => hasSome(value, Object.keys(ALONE)) || BACKENDS.some((backend) => backend === value["backend"])
)

export const DEFAULT_ACP: AcpConfig = ACP.defaults
