/**
 * Checks an OpenClaw configuration: reports the weaknesses of its own MCP and what our plugin does about them, based on
 * OpenClaw's documentation and on observation. The report contains places and names, never values of variables, headers,
 * arguments or URLs. Pure.
 */
import { agentsOf } from "./doctor/agents.ts"
import { aboutAll } from "./doctor/all.ts"
import { adviceOf } from "./doctor/advice.ts"
import { pluginOf, aboutPlugin } from "./doctor/plugin.ts"
import { membersAt } from "./doctor/read.ts"
import { SEVERITIES, type DoctorFinding, type DoctorReport, type Surroundings } from "./doctor/report.ts"
import { aboutServer, readServers } from "./doctor/servers.ts"
import { isObject } from "../../data/Json.ts"

/** Merges equal findings about several servers. */
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
  const agents = agentsOf(root)
  const used = servers.filter(({ enabled }) => enabled)
  const findings = together([
    ...aboutAll(root, used, plugin, agents),
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
    advice: adviceOf({ servers, agents, findings, plugin, surroundings })
  }
}
