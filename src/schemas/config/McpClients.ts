/** The settings files of programs that launch MCP servers: their locations on each system, and the form of an entry. */
import { posix, win32 } from "node:path"
import { isObject, type JsonObject } from "../data/Json.ts"

export const MCP_CLIENTS = ["claude-desktop", "claude-code", "cursor", "vscode", "zed"] as const
export type McpClientName = (typeof MCP_CLIENTS)[number]

export interface Place {
  readonly path: string
  /** The object in the file that holds the servers by name. */
  readonly section: string
}

export interface Launch {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where programs of a user store their settings. */
const settingsOf = (platform: NodeJS.Platform, env: Environment, home: string) => {
  if (platform === "win32") return env["APPDATA"] || win32.join(home, "AppData", "Roaming")
  if (platform === "darwin") return posix.join(home, "Library", "Application Support")
  return env["XDG_CONFIG_HOME"] || posix.join(home, ".config")
}

export const placeOf = (client: McpClientName, platform: NodeJS.Platform, env: Environment, home: string): Place => {
  const { join } = platform === "win32" ? win32 : posix
  const settings = settingsOf(platform, env, home)
  switch (client) {
    case "claude-desktop":
      return { path: join(settings, "Claude", "claude_desktop_config.json"), section: "mcpServers" }
    case "claude-code":
      return { path: join(env["CLAUDE_CONFIG_DIR"] || home, ".claude.json"), section: "mcpServers" }
    case "cursor":
      return { path: join(home, ".cursor", "mcp.json"), section: "mcpServers" }
    case "vscode":
      return { path: join(settings, "Code", "User", "mcp.json"), section: "servers" }
    case "zed": {
      // Zed uses ~/.config on a Mac, too.
      const own =
        platform === "darwin" ? join(home, ".config", "zed") : join(settings, platform === "win32" ? "Zed" : "zed")
      return { path: join(own, "settings.json"), section: "context_servers" }
    }
  }
}

export const entryOf = (client: McpClientName, { args, command, env }: Launch): JsonObject => ({
  ...(client === "claude-code" || client === "vscode" ? { type: "stdio" } : {}),
  command,
  args,
  ...(Object.keys(env).length === 0 ? {} : { env })
})

/** Whether an entry of that name is ours, and may be replaced. */
export const isOurs = (entry: unknown): boolean => {
  const args = typeof entry === "object" && entry !== null ? Reflect.get(entry, "args") : undefined
  return Array.isArray(args) && args.includes("mcp-server") && JSON.stringify(entry).includes("mcp-live")
}

/** Describes our environment, not that of the entry's author. */
const HOME = "MCP_LIVE_HOME"

/** Our entry as it should be now, with what somebody added to it: variables, and keys that only their client reads. */
export const renewed = (known: unknown, entry: JsonObject): JsonObject => {
  if (!isObject(known)) return entry
  const { env: had, ...rest } = known as JsonObject
  const { env = {}, ...own } = entry
  const kept = Object.entries(isObject(had) ? had : {}).filter(
    ([name]) => name !== HOME || Object.hasOwn(env as object, HOME)
  )
  const variables = { ...Object.fromEntries(kept), ...(env as JsonObject) } as JsonObject
  return { ...rest, ...own, ...(Object.keys(variables).length === 0 ? {} : { env: variables }) }
}
