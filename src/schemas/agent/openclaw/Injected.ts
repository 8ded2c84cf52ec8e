/**
 * Entries that mcp-live puts into a gateway's configuration for the sessions of an editor. What comes from them was cleaned and framed
 * by the process that they lead to. They are known by their name, which a server cannot choose, and by leading to this machine's
 * loopback: whoever could make up such an entry writes the configuration, and could leave the plugin out of it as well. Pure.
 */
import { isObject } from "../../data/Json.ts"
import { at } from "./doctor/read.ts"

/** Machine, process, number. */
export const INJECTED_NAME = /^mcp-live-([0-9a-z]{3})-([0-9a-z]{5})-([0-9a-z]{1,8})$/

const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d{1,5}\//

/** `tool` is what OpenClaw calls it: what was said of its server must agree with that. */
export const isInjected = (server: string, tool: string | undefined, config: unknown): boolean => {
  if (!INJECTED_NAME.test(server) || tool?.startsWith(`${server}__`) !== true) return false
  const entry = at(config, ["mcp", "servers", server])
  return isObject(entry) && typeof entry["url"] === "string" && LOOPBACK.test(entry["url"])
}
