/** The MCP clients whose files are read and written. */

export const CLIENTS = [
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "windsurf",
  "cline",
  "zed",
  "codex",
  "gemini",
  "opencode",
  "goose",
  "openclaw"
] as const
export type ClientName = (typeof CLIENTS)[number]

/** As the client calls itself. */
export const TITLES: Readonly<Record<ClientName, string>> = {
  "claude-desktop": "Claude Desktop",
  "claude-code": "Claude Code",
  cursor: "Cursor",
  vscode: "VS Code",
  windsurf: "Windsurf",
  cline: "Cline",
  zed: "Zed",
  codex: "Codex",
  gemini: "Gemini CLI",
  opencode: "OpenCode",
  goose: "Goose",
  openclaw: "OpenClaw"
}
