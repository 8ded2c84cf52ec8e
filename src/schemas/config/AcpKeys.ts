/** Every key that the section `acp` may have, for its reader and for the reference page. */
import { ACP_MAX_SERVERS, ACP_MAX_TOOLS, ACP_TOOL_TIMEOUT_MS } from "../defaults/Acp.ts"
import { CALLS_PER_MINUTE } from "../defaults/CallLimits.ts"
import type { SecretsKeyDoc } from "./SecretsKeys.ts"

export const ACP_KEYS = {
  maxServers: {
    type: "number",
    fallback: `${ACP_MAX_SERVERS}`,
    about: "MCP servers that a client may bring along for one session; 0 for none"
  },
  maxTools: {
    type: "number",
    fallback: `${ACP_MAX_TOOLS}`,
    about: "tools of all these servers together; what is over is left out, and the client is told"
  },
  callsPerMinute: {
    type: "number",
    fallback: `${CALLS_PER_MINUTE}`,
    about: "calls a minute of each of these servers, in the long run; 0 for any number"
  },
  burst: {
    type: "number",
    fallback: "as `callsPerMinute`",
    about: "calls of each of these servers that may come at once after a pause"
  },
  toolTimeout: {
    type: "number",
    fallback: `${ACP_TOOL_TIMEOUT_MS}`,
    about: "milliseconds for which a call of these servers may be silent"
  },
  stdio: { type: "boolean", fallback: "true", about: "whether these servers may be programs that are started here" },
  allowPrivate: {
    type: "boolean",
    fallback: "false",
    about: "whether their urls may lead to private addresses; loopback addresses always may"
  },
  allowHosts: {
    type: "list of globs",
    fallback: "all hosts",
    about: "the only hosts that their urls may name; `localhost` stands for this machine, however it is written"
  },
  denyHosts: {
    type: "list of globs",
    fallback: "none",
    about:
      "hosts that their urls must not name, also where `allowHosts` does; `localhost` stands for this machine, however it is written, and for names that lead to it"
  },
  allowEnv: {
    type: "list of names",
    fallback: "none",
    about:
      "variables that a client may set for these servers although they can make a program run other code (`NODE_OPTIONS`, …)"
  },
  backend: {
    type: "`embedded`, `openclaw`",
    fallback: "what is configured",
    about:
      "which agent answers: the built-in one, or that of an [OpenClaw gateway](acp.md#the-agent-of-an-openclaw-gateway); `--backend` wins"
  },
  contextWindow: {
    type: "number",
    fallback: "0",
    about: "tokens that the model can read, for clients that show how full it is; 0: they are not told"
  },
  dynamicTools: {
    type: "boolean",
    fallback: "false",
    about:
      "whether tools that these servers add later are added to the session, also where the client does not ask for it"
  },
  resourceContext: {
    type: "boolean",
    fallback: "true",
    about: "whether what the resources of these servers say is put in front of the agent's conversation"
  },
  roots: {
    type: "boolean",
    fallback: "true",
    about: "whether these servers are told the directory of the session when they ask where to work (roots)"
  }
} satisfies Record<string, SecretsKeyDoc>
