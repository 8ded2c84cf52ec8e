/**
 * Clients whose entries follow those of Claude Desktop, with differences in few keys. Sources:
 * Claude Desktop: modelcontextprotocol.io/docs/develop/connect-local-servers; Claude Code: code.claude.com/docs/en/mcp;
 * Cursor: cursor.com/docs/mcp.md; VS Code: github.com/microsoft/vscode-docs, docs/copilot/reference/mcp-configuration.md;
 * Windsurf: docs.windsurf.com/windsurf/cascade/mcp; Cline: github.com/cline/cline, src/services/mcp/schemas.ts;
 * Gemini CLI: github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md.
 */
import { isObject } from "../../data/Json.ts"
import { membersOf } from "../Fields.ts"
import { negated, old, renamed, same, seconds, type Format, type Taking } from "./Format.ts"
import { giveOAuth, takeOAuth } from "./OAuth.ts"
import { giveTools, giveTransport, NOT_ASKED, takeEnvFile, takeIncluded, takeTransport } from "./Shared.ts"
import { SYNTAXES } from "./Variables.ts"

/** What all of them have. A directory is documented for few, and read from all. */
const STDIO = [...same("command", "args", "env"), old("cwd", "cwd")]
const LAUNCH = [...STDIO, ...same("url", "headers")]
const CWD = same("cwd")
const TYPES = { stdio: "stdio", http: "http", sse: "sse" }

export const claudeDesktop: Format = {
  section: ["mcpServers"],
  variables: SYNTAXES.shell,
  pairs: [...STDIO, old("url", "url"), old("headers", "headers")],
  inert: { icon: "" },
  take: (taking) => takeTransport(taking, "type"),
  give: (giving) => {
    if (giving.isRemote) giving.leave("Claude Desktop starts programs only; add remote servers there as connectors")
    giving.get("transport")
    giveOAuth(giving, undefined, {})
  }
}

const CLAUDE_OAUTH = {
  clientId: "clientId",
  clientSecret: "clientSecret",
  scopes: "scopes",
  redirectPort: "callbackPort"
}

export const claudeCode: Format = {
  section: ["mcpServers"],
  variables: SYNTAXES.shell,
  pairs: [...LAUNCH, renamed("toolTimeout", "timeout"), old("toolTimeout", "request_timeout_ms")],
  inert: {
    headersHelper: "mcp-live runs no program for headers; use secret://exec, see docs/secrets.md",
    alwaysLoad: ""
  },
  take: (taking) => {
    takeTransport(taking, "type")
    takeOAuth(taking, "oauth", CLAUDE_OAUTH)
  },
  give: (giving) => {
    giveTransport(giving, "type", TYPES, true)
    giveOAuth(giving, "oauth", CLAUDE_OAUTH)
  }
}

const CURSOR_OAUTH = { clientId: "CLIENT_ID", clientSecret: "CLIENT_SECRET", scopes: "scopes" }

export const cursor: Format = {
  section: ["mcpServers"],
  variables: SYNTAXES.editor,
  pairs: LAUNCH,
  inert: { autoApprove: NOT_ASKED, alwaysAllow: NOT_ASKED, icon: "", name: "", description: "" },
  take: (taking, context) => {
    takeTransport(taking, "type")
    takeEnvFile(taking, context)
    takeOAuth(taking, "auth", CURSOR_OAUTH)
  },
  give: (giving) => {
    giveTransport(giving, "type", TYPES, false)
    giveOAuth(giving, "auth", CURSOR_OAUTH)
  }
}

const SOCKET = /^(?:unix|pipe):/i

/** `null` removes a variable of VS Code's own environment. */
const takeVariables = ({ get, put, remark, see }: Taking): void => {
  const env = see("env")
  if (!isObject(env) || !Object.values(env).includes(null)) return
  get("env")
  for (const [name, value] of membersOf(env)) {
    if (value === null)
      remark(["env", name], "was left out: it only removes a variable, and servers get few of yours here")
    else put(["env", name], value, ["env", name])
  }
}

export const vscode: Format = {
  section: ["servers"],
  variables: SYNTAXES.editor,
  pairs: [...CWD, ...LAUNCH],
  inert: {
    gallery: "",
    version: "",
    dev: "",
    sandboxEnabled: "mcp-live's sandbox has other rules; set it here, see docs/servers.md",
    sandbox: "mcp-live's sandbox has other rules; set it here, see docs/servers.md"
  },
  take: (taking, context) => {
    const url = taking.see("url")
    if (typeof url === "string" && SOCKET.test(url))
      taking.leave("mcp-live reaches no server over a local socket", "url")
    takeTransport(taking, "type")
    takeVariables(taking)
    takeEnvFile(taking, context)
    takeOAuth(taking, "oauth", CLAUDE_OAUTH)
  },
  give: (giving) => {
    giveTransport(giving, "type", TYPES, true)
    giveOAuth(giving, undefined, {})
  }
}

export const windsurf: Format = {
  section: ["mcpServers"],
  variables: SYNTAXES.editor,
  pairs: [...STDIO, ...same("headers"), renamed("url", "serverUrl"), old("url", "url"), negated("enabled", "disabled")],
  inert: { alwaysAllow: NOT_ASKED, autoApprove: NOT_ASKED, registry: "", serverName: "" },
  take: (taking) => {
    takeTransport(taking, "type", taking.see("serverUrl") === undefined ? "url" : "serverUrl")
    takeTransport(taking, "transport", "serverUrl")
    const tools = taking.get("disabledTools")
    taking.put(["tools", "exclude"], tools, ["disabledTools"])
  },
  give: (giving) => {
    giveTransport(giving, "type", TYPES, false)
    giveTools(giving, "exclude", "disabledTools")
    giveOAuth(giving, undefined, {})
  }
}

export const cline: Format = {
  section: ["mcpServers"],
  variables: SYNTAXES.editor,
  pairs: [...CWD, ...LAUNCH, negated("enabled", "disabled"), seconds("toolTimeout", "timeout")],
  inert: { autoApprove: NOT_ASKED, alwaysAllow: NOT_ASKED, remoteConfigured: "" },
  take: (taking) => {
    takeTransport(taking, "type")
    takeTransport(taking, "transportType")
  },
  give: (giving) => {
    // Without a type, Cline takes an address for SSE.
    giveTransport(giving, "type", { ...TYPES, http: "streamableHttp" }, giving.isRemote)
    giveOAuth(giving, undefined, {})
  }
}

const GEMINI_OAUTH = {
  clientId: "clientId",
  clientSecret: "clientSecret",
  scopes: "scopes",
  redirectUri: "redirectUri"
}

export const gemini: Format = {
  section: ["mcpServers"],
  variables: SYNTAXES.dollar,
  pairs: [
    ...same("command", "args", "env", "cwd", "headers"),
    renamed("url", "httpUrl"),
    old("url", "url"),
    renamed("toolTimeout", "timeout")
  ],
  inert: {
    trust: NOT_ASKED,
    description: "",
    extension: "",
    authProviderType: "mcp-live has no credentials of Google; see docs/oauth.md",
    targetAudience: "mcp-live has no credentials of Google; see docs/oauth.md",
    targetServiceAccount: "mcp-live has no credentials of Google; see docs/oauth.md"
  },
  take: (taking) => {
    const { get, put, see } = taking
    if (see("tcp") !== undefined) taking.leave("mcp-live has no WebSocket transport", "tcp")
    const isTyped = see("type") !== undefined
    takeTransport(taking, "type")
    // Without a type, `url` is SSE.
    if (!isTyped && see("url") !== undefined && see("httpUrl") === undefined) put(["transport"], "sse", ["url"])
    // Gemini CLI prefers the newer one.
    if (see("httpUrl") !== undefined) get("url")
    takeIncluded(taking, "includeTools")
    put(["tools", "exclude"], get("excludeTools"), ["excludeTools"])
    takeOAuth(taking, "oauth", GEMINI_OAUTH)
  },
  beside: ({ mcp }, name) => {
    if (!isObject(mcp)) return []
    const isIn = (key: string) => Array.isArray(mcp[key]) && (mcp[key] as ReadonlyArray<unknown>).includes(name)
    const key = isIn("excluded")
      ? "excluded"
      : Array.isArray(mcp["allowed"]) && !isIn("allowed")
        ? "allowed"
        : undefined
    return key === undefined ? [] : [{ own: ["enabled"], value: false, path: ["mcp", key] }]
  },
  give: (giving) => {
    const { get, put, see, texts } = giving
    if (get("transport") === "sse") {
      put("url", texts(see("url")))
      get("url")
    }
    giveTools(giving, "include", "includeTools")
    giveTools(giving, "exclude", "excludeTools")
    giveOAuth(giving, "oauth", GEMINI_OAUTH)
  }
}
