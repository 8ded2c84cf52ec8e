/** The data directory, whose content outlives the process: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { expandHome } from "./Resolve.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** In a container the system may not know the current user. */
const systemHome = (): string => {
  try {
    return homedir()
  } catch {
    return "/"
  }
}

/** The data directory of this user, unless the environment sets another one. */
export const dataDirectory = (env: Environment = process.env): string => {
  const home = env["HOME"] || env["USERPROFILE"] || systemHome()
  return env["MCP_LIVE_HOME"] ? resolve(expandHome(env["MCP_LIVE_HOME"], home)) : join(home, ".mcp-live")
}

/** Conversations of agent requests are stored separately, so that they and others do not get in each other's way. */
export const ordersDirectory = (): string => join(dataDirectory(), "orders")
