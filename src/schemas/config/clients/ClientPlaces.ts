/**
 * Where each client keeps the file with its MCP servers, on Linux, macOS and Windows. One table; the sources are those that the formats
 * (ClaudeLike.ts, Codex.ts and others) name.
 */
import { posix, win32 } from "node:path"
import { openclawConfigFile } from "../../agent/openclaw/Places.ts"
import type { Environment } from "../Interpolation.ts"
import { CLIENTS, type ClientName } from "./ClientNames.ts"

/** The folders that the table refers to. */
interface Folders {
  readonly home: string
  /** Where programs with windows keep their settings. */
  readonly settings: string
  /** The XDG folder, which some programs use on a Mac, and some on Windows, too. */
  readonly config: string
  readonly env: Environment
  readonly isWindows: boolean
}

type Row = (folders: Folders) => ReadonlyArray<ReadonlyArray<string>>

/** In the order in which a client is looked for; the first one is where an entry is added. */
const USER: Readonly<Record<ClientName, Row>> = {
  "claude-desktop": ({ settings }) => [[settings, "Claude", "claude_desktop_config.json"]],
  "claude-code": ({ env, home }) => [[env["CLAUDE_CONFIG_DIR"] || home, ".claude.json"]],
  cursor: ({ home }) => [[home, ".cursor", "mcp.json"]],
  vscode: ({ settings }) => [
    [settings, "Code", "User", "mcp.json"],
    [settings, "Code", "User", "settings.json"],
    [settings, "Code - Insiders", "User", "mcp.json"],
    [settings, "VSCodium", "User", "mcp.json"]
  ],
  windsurf: ({ home }) => [
    [home, ".codeium", "windsurf", "mcp_config.json"],
    [home, ".codeium", "mcp_config.json"]
  ],
  cline: ({ home, settings }) => [
    [settings, "Code", "User", ...CLINE],
    [home, ".cline", "data", "settings", "cline_mcp_settings.json"],
    [settings, "Cursor", "User", ...CLINE],
    [settings, "Code - Insiders", "User", ...CLINE]
  ],
  zed: ({ config, isWindows, settings }) => [
    isWindows ? [settings, "Zed", "settings.json"] : [config, "zed", "settings.json"]
  ],
  codex: ({ env, home }) => [[env["CODEX_HOME"] || posixOrWindows(home, ".codex"), "config.toml"]],
  gemini: ({ home }) => [[home, ".gemini", "settings.json"]],
  opencode: ({ config }) => [
    [config, "opencode", "opencode.json"],
    [config, "opencode", "opencode.jsonc"]
  ],
  goose: ({ config, isWindows, settings }) => [
    isWindows ? [settings, "Block", "goose", "config", "config.yaml"] : [config, "goose", "config.yaml"]
  ],
  openclaw: ({ env, home }) => [[openclawConfigFile(env, home)]]
}

const CLINE = ["globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json"]

/** Below the folder of a project. */
const PROJECT: Partial<Record<ClientName, ReadonlyArray<ReadonlyArray<string>>>> = {
  "claude-code": [[".mcp.json"]],
  cursor: [[".cursor", "mcp.json"]],
  vscode: [[".vscode", "mcp.json"]],
  zed: [[".zed", "settings.json"]],
  codex: [[".codex", "config.toml"]],
  gemini: [[".gemini", "settings.json"]],
  opencode: [["opencode.json"], ["opencode.jsonc"]]
}

const posixOrWindows = (home: string, ...rest: ReadonlyArray<string>): string =>
  (home.includes("\\") ? win32 : posix).join(home, ...rest)

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: Environment
  readonly home: string
}

const foldersOf = ({ env, home, platform }: Machine): Folders => {
  const isWindows = platform === "win32"
  const xdg = env["XDG_CONFIG_HOME"]
  const settings = isWindows
    ? env["APPDATA"] || win32.join(home, "AppData", "Roaming")
    : platform === "darwin"
      ? posix.join(home, "Library", "Application Support")
      : xdg || posix.join(home, ".config")
  // Zed and Goose take no XDG_CONFIG_HOME on a Mac.
  const config = platform === "linux" && xdg ? xdg : posixOrWindows(home, ".config")
  return { home, settings, config, env, isWindows }
}

/** The files of a user, the usual one first. */
export const userPlaces = (client: ClientName, machine: Machine): ReadonlyArray<string> => {
  const { join } = machine.platform === "win32" ? win32 : posix
  return USER[client](foldersOf(machine)).map((parts) => join(...parts))
}

/** The files of a project. */
export const projectPlaces = (client: ClientName, folder: string, platform: NodeJS.Platform): ReadonlyArray<string> => {
  const { join } = platform === "win32" ? win32 : posix
  return (PROJECT[client] ?? []).map((parts) => join(folder, ...parts))
}

const endOf = (parts: ReadonlyArray<string>, count: number): string => parts.slice(-count).join("/")

/** Names of files that only one client has, with as many folders as it takes to tell. */
const TELLING: ReadonlyArray<readonly [ClientName, string]> = [
  ["claude-desktop", "claude_desktop_config.json"],
  ["claude-code", ".claude.json"],
  ["claude-code", ".mcp.json"],
  ["cursor", ".cursor/mcp.json"],
  ["vscode", ".vscode/mcp.json"],
  ["vscode", "User/mcp.json"],
  ["windsurf", "mcp_config.json"],
  ["cline", endOf(CLINE, 1)],
  ["gemini", ".gemini/settings.json"],
  ["opencode", "opencode.json"],
  ["opencode", "opencode.jsonc"]
]

/** The client that has files of this name, in its own folder or in a copy of it. */
export const clientNamed = (file: string): ClientName | undefined => {
  const path = `/${file.replaceAll("\\", "/")}`
  return TELLING.find(([, end]) => path.endsWith(`/${end}`))?.[0]
}

/** Of all clients. */
export const allUserPlaces = (machine: Machine): ReadonlyArray<readonly [ClientName, string]> =>
  CLIENTS.flatMap((client) => userPlaces(client, machine).map((path) => [client, path] as const))
