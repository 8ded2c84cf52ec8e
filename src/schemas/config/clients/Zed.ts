/**
 * Zed: `context_servers` in settings.json. Source: github.com/zed-industries/zed, crates/settings_content/src/project.rs
 * (ContextServerSettingsContent) and docs/src/ai/mcp.md. Until 2025 `command` was an object with `path`.
 */
import { isObject } from "../../data/Json.ts"
import { same, seconds, type Format } from "./Format.ts"
import { giveOAuth, takeOAuth } from "./OAuth.ts"
import { SYNTAXES } from "./Variables.ts"

const OAUTH = { clientId: "client_id", clientSecret: "client_secret" }

export const zed: Format = {
  section: ["context_servers"],
  variables: SYNTAXES.none,
  pairs: [...same("command", "args", "env", "url", "headers", "enabled"), seconds("toolTimeout", "timeout")],
  inert: {
    source: "",
    settings: "they are for an extension of Zed",
    remote: "mcp-live runs servers on this machine"
  },
  take: (taking) => {
    const { get, leave, put, see } = taking
    const command = see("command")
    if (command === undefined && see("url") === undefined && (see("source") === "extension" || see("settings"))) {
      leave("an extension of Zed brings its program")
    }
    if (isObject(command)) {
      get("command")
      put(["command"], command["path"], ["command", "path"])
      put(["args"], command["args"], ["command", "args"])
      put(["env"], command["env"], ["command", "env"])
    }
    takeOAuth(taking, "oauth", OAUTH)
  },
  beside: ({ context_server_timeout: whole }) =>
    typeof whole === "number" ? [{ own: ["toolTimeout"], value: whole * 1000, path: ["context_server_timeout"] }] : [],
  give: (giving) => {
    if (giving.get("transport") === "sse") giving.lose("transport", "Zed speaks Streamable HTTP")
    giving.put("source", "custom")
    giveOAuth(giving, "oauth", OAUTH)
  }
}
