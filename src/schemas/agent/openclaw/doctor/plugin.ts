/** The state of the plugin in OpenClaw's configuration. */
import { noLines } from "../../../config/KeyLines.ts"
import { decodeConfig } from "../../../config/DecodeConfig.ts"
import * as Result from "effect/Result"
import type { DoctorFinding, Surroundings } from "./report.ts"
import { at, keyPath, membersAt, textAt, textsAt } from "./read.ts"

export const PLUGIN = "mcp-live"
const ENTRY = ["plugins", "entries", PLUGIN]

export interface PluginState {
  readonly enabled: boolean
  /** Whether results of OpenClaw's own servers are framed. */
  readonly frames: boolean
  /** Whether it has servers of its own, or a file that configures them. */
  readonly agents: boolean
  /** Whether the operator has decided if it may add to prompts. */
  readonly mayAddIsSet: boolean
  /** Servers whose URL and headers it provides. */
  readonly connections: ReadonlySet<string>
}

export const pluginOf = (root: unknown): PluginState => {
  const allowed = at(root, ["plugins", "allow"])
  const config = [...ENTRY, "config"]
  return {
    enabled:
      at(root, [...ENTRY, "enabled"]) === true &&
      at(root, ["plugins", "enabled"]) !== false &&
      (!Array.isArray(allowed) || allowed.includes(PLUGIN)) &&
      !textsAt(root, ["plugins", "deny"]).includes(PLUGIN),
    frames: at(root, [...config, "native", "frame"]) !== false,
    mayAddIsSet: at(root, [...ENTRY, "hooks", "allowConversationAccess"]) !== undefined,
    agents: ["file", "agents", "mcp"].some((key) => at(root, [...config, key]) !== undefined),
    connections: new Set(membersAt(root, [...config, "native", "connections"]).map(([name]) => name))
  }
}

const OURS = /(?:^|[\\/])openclaw-plugin[\\/]*$/
const SECTIONS = ["agents", "mcp", "gateway", "tools", "secrets", "audit"]

const problemsOf = (root: unknown, { env }: Surroundings): ReadonlyArray<string> => {
  const config = at(root, [...ENTRY, "config"])
  const given = Object.fromEntries(
    SECTIONS.flatMap((key) => (at(config, [key]) === undefined ? [] : [[key, at(config, [key])]]))
  )
  if (Object.keys(given).length === 0 || textAt(config, ["file"]) !== undefined) return []
  const place = { file: "", shownFile: "", lines: noLines, directory: "/", home: "/", env, isThere: () => true }
  return Result.match(decodeConfig(given, place), {
    onSuccess: ({ faults = [] }) => faults,
    onFailure: ({ issues }) => issues
  }).map(({ message, path }) => `${path}: ${message}`)
}

export const aboutPlugin = (
  root: unknown,
  plugin: PluginState,
  surroundings: Surroundings
): ReadonlyArray<DoctorFinding> => {
  const folders = textsAt(root, ["plugins", "load", "paths"])
  const isAnywhere = folders.some(surroundings.hasPlugin)
  const gone = folders.filter((path) => OURS.test(path) && !surroundings.hasPlugin(path))
  const isThere = at(root, ENTRY) !== undefined
  return [
    ...(gone.length > 0 || (plugin.enabled && folders.length > 0 && !isAnywhere)
      ? [
          {
            id: "plugin-path",
            severity: "high",
            servers: [],
            paths: [keyPath("plugins", "load", "paths")],
            what: "The plugin is to be loaded from a folder that has none: OpenClaw continues without it, and frames nothing.",
            plugin: null
          } as const
        ]
      : []),
    ...(plugin.enabled && folders.length === 0
      ? [
          {
            id: "plugin-path",
            severity: "medium",
            servers: [],
            paths: [keyPath("plugins", "load", "paths")],
            what: "No folder is configured to load the plugin from: unless it is installed in OpenClaw itself, OpenClaw continues without it, and frames nothing.",
            plugin: null
          } as const
        ]
      : []),
    ...(isThere && !plugin.enabled
      ? [
          {
            id: "plugin-off",
            severity: "high",
            servers: [],
            paths: [keyPath(...ENTRY)],
            what: "The plugin is configured but not enabled: its entry needs enabled: true, and neither plugins.enabled, plugins.allow nor plugins.deny may keep it out.",
            plugin: null
          } as const
        ]
      : []),
    ...(plugin.enabled && plugin.agents && !plugin.mayAddIsSet
      ? [
          {
            id: "resources-not-in-prompt",
            severity: "low",
            servers: [],
            paths: [keyPath(...ENTRY, "hooks", "allowConversationAccess")],
            what: "Resources of the plugin's servers do not reach the prompts of their agents: OpenClaw asks the operator first. true lets the plugin add them, and lets its hooks see prompts; false turns this off for good.",
            plugin: null
          } as const
        ]
      : []),
    ...problemsOf(root, surroundings).map((problem): DoctorFinding => ({
      id: "plugin-config",
      severity: "high",
      servers: [],
      paths: [keyPath(...ENTRY, "config")],
      what: `The servers of the plugin cannot be used: ${problem}`,
      plugin: null
    }))
  ]
}
