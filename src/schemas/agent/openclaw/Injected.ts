/**
 * Recognizes the entries that mcp-live adds to a gateway's configuration for the sessions of an editor. Their results were
 * cleaned and framed by the process behind them. They are recognized by their name, which a server cannot choose, and by a
 * loopback URL: whoever can forge such an entry writes the configuration, and could disable the plugin as well. Pure.
 */
import { isObject } from "../../data/Json.ts"
import { at } from "./doctor/read.ts"

/** Machine, process, number. */
export const INJECTED_NAME = /^mcp-live-([0-9a-z]{3})-([0-9a-z]{5})-([0-9a-z]{1,8})$/

const LOOPBACK = /^http:\/\/127\.0\.0\.1:\d{1,5}\//

/** `tool` is OpenClaw's name of the tool: it must agree with the server. */
export const isInjected = (server: string, tool: string | undefined, config: unknown): boolean => {
  if (!INJECTED_NAME.test(server) || tool?.startsWith(`${server}__`) !== true) return false
  const entry = at(config, ["mcp", "servers", server])
  return isObject(entry) && typeof entry["url"] === "string" && LOOPBACK.test(entry["url"])
}
