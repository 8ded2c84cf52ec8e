/**
 * OpenCode: `mcp` in opencode.json, where a command is a list. Source: github.com/anomalyco/opencode,
 * packages/opencode/src/config/mcp.ts, and opencode.ai/docs/config (variables).
 */
import { old, renamed, same, type Format } from "./Format.ts"
import { giveOAuth, takeOAuth } from "./OAuth.ts"
import { opencodeRules } from "./OpencodeRules.ts"
import { takeTransport } from "./Shared.ts"
import { SYNTAXES } from "./Variables.ts"

const OAUTH = { clientId: "clientId", clientSecret: "clientSecret", scopes: "scope", redirectUri: "redirectUri" }

export const opencode: Format = {
  section: ["mcp"],
  variables: SYNTAXES.braces,
  pairs: [
    ...same("url", "headers", "enabled"),
    old("cwd", "cwd"),
    renamed("env", "environment"),
    renamed("toolTimeout", "timeout")
  ],
  inert: {},
  take: (taking) => {
    const { get, put, see } = taking
    takeTransport(taking, "type")
    const command = see("command")
    if (Array.isArray(command)) {
      get("command")
      put(["command"], command[0], ["command", 0])
      put(["args"], command.slice(1), ["command"])
    }
    takeOAuth(taking, "oauth", OAUTH)
  },
  beside: opencodeRules,
  give: (giving) => {
    const { get, isRemote, lose, put, see, texts } = giving
    put("type", isRemote ? "remote" : "local")
    if (get("transport") === "sse") lose("transport", "OpenCode finds it out by itself")
    const args = get("args")
    const command = get("command")
    if (command !== undefined) put("command", texts([command, ...(Array.isArray(args) ? args : [])]))
    put("enabled", see("enabled") !== false)
    get("enabled")
    giveOAuth(giving, "oauth", OAUTH)
  }
}
