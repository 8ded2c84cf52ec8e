/**
 * OpenClaw: `mcp.servers` in openclaw.json, in our own words. Source: github.com/openclaw/openclaw, docs/cli/mcp.md.
 */
import { defined } from "../Fields.ts"
import { renamed, same, type Format } from "./Format.ts"
import { giveTransport, takeTransport } from "./Shared.ts"
import { SYNTAXES } from "./Variables.ts"

export const openclaw: Format = {
  section: ["mcp", "servers"],
  variables: SYNTAXES.capitals,
  pairs: [
    ...same("command", "args", "env", "cwd", "url", "headers", "enabled", "auth"),
    renamed("timeout", "connectionTimeoutMs"),
    renamed("toolTimeout", "requestTimeoutMs")
  ],
  inert: { supportsParallelToolCalls: "", codex: "it is for OpenClaw's Codex", description: "" },
  take: (taking) => takeTransport(taking, "transport"),
  give: (giving) => {
    const { get, lose, put, see } = giving
    giveTransport(giving, "transport", { stdio: "stdio", http: "streamable-http", sse: "sse" }, giving.isRemote)
    const tools = defined({ include: get("tools.include"), exclude: get("tools.exclude") })
    if (Object.keys(tools).length > 0) put("toolFilter", tools)
    if (see("tools.ask") !== undefined) lose("tools.ask")
    get("tools.ask")
  }
}
