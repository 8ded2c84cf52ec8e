/** The weaknesses of OpenClaw's own MCP, where the configuration is OpenClaw's. */
import type { Finding, Severity } from "../Finding.ts"
import type { Check } from "../Facts.ts"

const SEVERITY: Readonly<Record<"high" | "medium" | "low", Severity>> = {
  high: "warning",
  medium: "warning",
  low: "info"
}

export const openclaw: Check = ({ openclaw: report }) =>
  (report?.findings ?? []).map(({ id, paths, plugin, servers, severity, what }): Finding => ({
    id: `openclaw-${id}`,
    severity: SEVERITY[severity],
    server: servers.length === 1 ? servers[0]! : null,
    what: `In OpenClaw${servers.length > 1 ? ` (${servers.join(", ")})` : ""}: ${what}${paths.length === 0 ? "" : ` At ${paths.join(", ")}.`}`,
    why: "It is a weakness of that gateway.",
    mend:
      plugin === null
        ? "The plugin does nothing about it."
        : `With the plugin: ${plugin} The lines for it: mcp-live doctor --openclaw`
  }))
