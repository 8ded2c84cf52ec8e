/** Where the runtime keeps what outlives it: `$MCP_LIVE_HOME`, else `~/.mcp-live`. */
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { expandHome } from "./Resolve.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** In a container there may be a user whom the system does not know. */
const systemHome = (): string => {
  try {
    return homedir()
  } catch {
    return "/"
  }
}

/** Where this user's data is, unless told otherwise. */
export const dataDirectory = (env: Environment = process.env): string => {
  const home = env["HOME"] || env["USERPROFILE"] || systemHome()
  return env["MCP_LIVE_HOME"] ? resolve(expandHome(env["MCP_LIVE_HOME"], home)) : join(home, ".mcp-live")
}

/** The conversations of orders are kept apart from all others: neither is in the other's way. */
export const ordersDirectory = (): string => join(dataDirectory(), "orders")
