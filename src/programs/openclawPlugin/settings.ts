/**
 * The settings of the plugin: `plugins.entries.mcp-live.config` in OpenClaw's configuration. OpenClaw checks them against the
 * schema in the manifest before it loads the plugin; the usual decoder checks servers, agents and secrets.
 */
import { TOOL_INDEX_THRESHOLD } from "../../schemas/defaults/Catalogue.ts"
import { OPENCLAW_RESULT_MAX_CHARS, OPENCLAW_WRAP_CHARS } from "../../schemas/defaults/OpenClaw.ts"
import { isObject } from "../../schemas/data/Json.ts"
import type { Connection } from "./openclawApi.ts"

export interface Settings {
  /** The path of a configuration of mcp-live; `undefined` when it is part of the settings, or absent. */
  readonly file: string | undefined
  /** The same as a value. */
  readonly inline: Readonly<Record<string, unknown>> | undefined
  /** Whether results of OpenClaw's own MCP servers are cleaned and framed. */
  readonly frame: boolean
  /** URLs and headers of OpenClaw's own servers, with references to secrets, by server name. */
  readonly connections: Readonly<Record<string, Connection>>
  readonly dataDirectory: string | undefined
  readonly maxResultChars: number
  /** An agent with more tools than this gets the single tool for all of them. */
  readonly maxTools: number
  /** Equal for equal settings. */
  readonly key: string
}

/** Sections of a configuration of mcp-live. */
const SECTIONS = ["agents", "mcp", "gateway", "tools", "secrets", "audit"] as const

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((member) => typeof member === "string")

const connectionsOf = (value: unknown): Readonly<Record<string, Connection>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).flatMap(([name, entry]) => {
      const url = isObject(entry) ? text(entry["url"]) : undefined
      const headers = isObject(entry) ? entry["headers"] : undefined
      if (url === undefined || (headers !== undefined && !isTexts(headers))) return []
      return [[name, headers === undefined ? { url } : { url, headers }]]
    })
  )

export const readSettings = (config: unknown): Settings => {
  const given = isObject(config) ? config : {}
  const native = isObject(given["native"]) ? given["native"] : {}
  const sections = SECTIONS.filter((name) => given[name] !== undefined)
  const { maxResultChars: chars, maxTools } = given
  const isEnough = typeof chars === "number" && Number.isInteger(chars) && chars > 2 * OPENCLAW_WRAP_CHARS
  return {
    file: text(given["file"]),
    inline: sections.length === 0 ? undefined : Object.fromEntries(sections.map((name) => [name, given[name]])),
    frame: native["frame"] !== false,
    connections: connectionsOf(native["connections"]),
    dataDirectory: text(given["dataDirectory"]),
    maxTools:
      typeof maxTools === "number" && Number.isInteger(maxTools) && maxTools >= 0 ? maxTools : TOOL_INDEX_THRESHOLD,
    maxResultChars: isEnough ? chars : OPENCLAW_RESULT_MAX_CHARS,
    key: JSON.stringify(given)
  }
}

/** Whether there may be servers of our own. */
export const hasServers = ({ file, inline }: Settings): boolean =>
  file !== undefined || inline?.["agents"] !== undefined || inline?.["mcp"] !== undefined
