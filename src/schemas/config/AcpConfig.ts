/** `acp`: what an ACP client (an editor) may bring along for a session. OpenClaw's own top-level `acp` is something else. */
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
    "MCP servers that a client may bring along for one session; 0 for none"
  ),
  maxTools: key(
    whole("a number of tools, or 0 for none", 0, ACP_TOOLS_CEILING),
    ACP_MAX_TOOLS,
    "tools of all these servers together; what is over is left out, and the client is told"
  ),
  callsPerMinute: key(
    LIMITS.perMinute,
    CALLS_PER_MINUTE,
    "calls a minute of each of these servers, in the long run; 0 for any number"
  ),
  burst: optional(
    LIMITS.burst,
    "as `callsPerMinute`",
    "calls of each of these servers that may come at once after a pause"
  ),
  toolTimeout: key(
    noted(whole("a positive number of milliseconds", 1, TIMER_MAX_MS), { written: "milliseconds" }),
    ACP_TOOL_TIMEOUT_MS,
    "for which a call of these servers may be silent"
  ),
  stdio: key(flag, true, "whether these servers may be programs that are started here"),
  allowPrivate: key(flag, false, "whether their urls may lead to private addresses; loopback addresses always may"),
  allowHosts: optional(
    globs,
    "all hosts",
    "globs of the only hosts that their urls may name; `localhost` stands for this machine, however it is written"
  ),
  denyHosts: key(
    globs,
    [],
    "globs of hosts that their urls must not name, also where `allowHosts` does; `localhost` stands for this machine, however it is written, and for names that lead to it"
  ),
  allowEnv: key(
    exactNames,
    [],
    "variables that a client may set for these servers although they can make a program run other code (`NODE_OPTIONS`, …)"
  ),
  backend: optional(
    choice(BACKENDS),
    "what is configured",
    "which agent answers: the built-in one, or that of an [OpenClaw gateway](acp.md#the-agent-of-an-openclaw-gateway); `--backend` wins"
  ),
  contextWindow: key(
    whole("a number of tokens, or 0 for unknown", 0),
    0,
    "tokens that the model can read, for clients that show how full it is; 0: they are not told"
  ),
  dynamicTools: key(
    flag,
    false,
    "whether tools that these servers add later are added to the session, also where the client does not ask for it"
  ),
  resourceContext: key(
    flag,
    true,
    "whether what the resources of these servers say is put in front of the agent's conversation"
  ),
  roots: key(
    flag,
    true,
    "whether these servers are told the directory of the session when they ask where to work (roots)"
  )
}

/** What an editor may bring along for a session (the section `acp` of a configuration). */
export interface AcpConfig extends Schema.Struct.Type<typeof KEYS> {}

const { backend: _, ...ALONE } = KEYS

/** OpenClaw's own section has a `backend`, too, which is called otherwise. */
export const ACP = section(
  "acp",
  KEYS,
  (value) => hasSome(value, Object.keys(ALONE)) || BACKENDS.some((backend) => backend === value["backend"])
)

export const DEFAULT_ACP: AcpConfig = ACP.defaults
