/** Clients to which this program can add itself, and the form of its entry. */
import { isObject, type JsonObject } from "../data/Json.ts"
import { userPlaces } from "./clients/ClientPlaces.ts"
import { FORMATS } from "./clients/ReadClient.ts"
import type { Environment } from "./Interpolation.ts"

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

export const placeOf = (client: McpClientName, platform: NodeJS.Platform, env: Environment, home: string): Place => ({
  path: userPlaces(client, { platform, env, home })[0]!,
  section: FORMATS[client].section[0]!
})

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
