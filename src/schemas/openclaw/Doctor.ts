/**
 * Looks at a configuration of OpenClaw, and says what its own MCP leaves open and what our plugin does about it. Only what
 * OpenClaw's documentation says, or what was seen when it ran. No value of a variable, a header, an argument or an address
 * is in what it says: places and names are. Pure.
 */
import { aboutAll } from "./doctor/all.ts"
import { adviceOf } from "./doctor/advice.ts"
import { pluginOf, aboutPlugin } from "./doctor/plugin.ts"
import { membersAt } from "./doctor/read.ts"
import { aboutServer, readServers } from "./doctor/servers.ts"
import type { Environment } from "../config/Interpolation.ts"
import { isObject } from "../Json.ts"

/** `high`: a server, or whoever speaks through it, can do harm now. `medium`: it may. `low`: it is worth knowing. */
export const SEVERITIES = ["high", "medium", "low"] as const
export type Severity = (typeof SEVERITIES)[number]

export interface DoctorFinding {
  /** Stays what it is from version to version. */
  readonly id: string
  readonly severity: Severity
  /** Empty when it is about the configuration as a whole. */
  readonly servers: ReadonlyArray<string>
  /** Keys of the configuration. */
  readonly paths: ReadonlyArray<string>
  /** What is open. */
  readonly what: string
  /** What the plugin does about it, with the settings of `advice`; `null` when it does nothing. */
  readonly plugin: string | null
}

export interface ExaminedServer {
  readonly name: string
  readonly transport: "stdio" | "http" | "sse" | "none"
  readonly enabled: boolean
}

export interface DoctorReport {
  readonly servers: ReadonlyArray<ExaminedServer>
  /** Whether the plugin is there, and what it does now. */
  readonly plugin: { readonly enabled: boolean; readonly frames: boolean; readonly agents: boolean }
  /** The worst first. */
  readonly findings: ReadonlyArray<DoctorFinding>
  /** Lines for OpenClaw's configuration that close what the plugin can close; `null` when there is nothing to add. */
  readonly advice: string | null
}

export interface Surroundings {
  /** With which `${VAR}` is read. */
  readonly env: Environment
  /** Whether a program can be found. */
  readonly hasCommand: (command: string) => boolean
  /** Whether there is a folder with a plugin in it. */
  readonly hasPlugin: (path: string) => boolean
  /** The folder of our plugin, for the advice. */
  readonly pluginFolder: string
}

/** The same thing about several servers is said once. */
const together = (findings: ReadonlyArray<DoctorFinding>): ReadonlyArray<DoctorFinding> => {
  const merged = new Map<string, DoctorFinding>()
  for (const finding of findings) {
    const key = [finding.id, finding.what, finding.plugin].join("\n")
    const before = merged.get(key)
    merged.set(
      key,
      before === undefined
        ? finding
        : {
            ...before,
            servers: [...new Set([...before.servers, ...finding.servers])],
            paths: [...new Set([...before.paths, ...finding.paths])]
          }
    )
  }
  return [...merged.values()]
}

export const examine = (value: unknown, surroundings: Surroundings): DoctorReport => {
  const root = isObject(value) ? value : {}
  const plugin = pluginOf(root)
  const servers = readServers(membersAt(root, ["mcp", "servers"]))
  const used = servers.filter(({ enabled }) => enabled)
  const findings = together([
    ...aboutAll(root, used, plugin),
    ...used.flatMap((server) => aboutServer(server, plugin, surroundings)),
    ...aboutPlugin(root, plugin, surroundings)
  ]).toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
  return {
    servers: servers.map(({ enabled, name, transport }) => ({ name, transport, enabled })),
    plugin: {
      enabled: plugin.enabled,
      frames: plugin.enabled && plugin.frames,
      agents: plugin.enabled && plugin.agents
    },
    findings,
    advice: adviceOf(servers, findings, plugin, surroundings)
  }
}
