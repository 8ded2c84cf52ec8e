/** How another program starts this one. */
import { resolve } from "node:path"
import { ownProgram } from "./ownPackage.ts"

export interface Started {
  readonly bin: string
  readonly node: string
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface OwnLaunch {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/**
 * All paths are absolute, because a client may not have the user's PATH. A program in npx's cache may be deleted at any time,
 * so the launch does not depend on it.
 */
export const ownLaunch = (
  args: ReadonlyArray<string>,
  { bin = ownProgram(), env = process.env, node = process.execPath, platform = process.platform }: Partial<Started> = {}
): OwnLaunch => {
  const home = env["MCP_LIVE_HOME"]
  const kept = home === undefined || home === "" ? {} : { MCP_LIVE_HOME: resolve(home) }
  if (!/[/\\]_npx[/\\]/.test(bin)) return { command: node, args: [bin, ...args], env: kept }
  const npx = ["-y", "mcp-live", ...args]
  return platform === "win32"
    ? { command: "cmd", args: ["/c", "npx", ...npx], env: kept }
    : { command: "npx", args: npx, env: kept }
}
