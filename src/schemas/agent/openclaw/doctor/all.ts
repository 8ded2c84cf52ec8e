/** Findings about all servers together. */
import { isObject } from "../../../data/Json.ts"
import type { ConfiguredAgent } from "./agents.ts"
import type { DoctorFinding, NativeServer } from "./report.ts"
import type { PluginState } from "./plugin.ts"
import { at, keyPath } from "./read.ts"

const FRAMES = "Cleans every result and puts it between boundaries, in both modes; images stay images."
const MOVES = "Servers under its own agents.*.mcp"

/** How the model gets tools of MCP servers: with their schemas, or through a search. */
type Mode = "direct" | "directory" | "search"

const modeOf = (root: unknown): Mode => {
  const given = at(root, ["tools", "toolSearch"])
  if (given === false) return "direct"
  if (!isObject(given)) return "search"
  const keys = Object.keys(given).filter((key) => key !== "enabled")
  if (given["enabled"] === false || (given["enabled"] !== true && keys.length === 0)) return "direct"
  return given["mode"] === "directory" ? "directory" : "search"
}

const names = (servers: ReadonlyArray<NativeServer>) => servers.map(({ name }) => name)

const framing = (
  root: unknown,
  servers: ReadonlyArray<NativeServer>,
  { enabled, frames }: PluginState
): ReadonlyArray<DoctorFinding> => {
  if (servers.length === 0 || (enabled && frames)) return []
  const mode = modeOf(root)
  if (mode === "search") {
    return [
      {
        id: "uncleaned-results",
        severity: "low",
        servers: names(servers),
        paths: [keyPath("tools", "toolSearch")],
        what: "OpenClaw's tool search frames results but does not clean them of invisible characters or of secrets, and gives images to the model as base64 text.",
        plugin: FRAMES
      }
    ]
  }
  return [
    {
      id: "unframed-results",
      severity: "high",
      servers: names(servers),
      paths: [keyPath("tools", "toolSearch")],
      what: `Results reach the model as they are${mode === "direct" ? "" : ", where it calls a tool by its name"}: no boundary marks them as untrusted, and an end marker in them is not neutralized.`,
      plugin: FRAMES
    }
  ]
}

const foreignKeys = (agents: ReadonlyArray<ConfiguredAgent>): ReadonlyArray<DoctorFinding> => {
  const paths = agents.flatMap(({ path }) => path ?? [])
  return paths.length === 0
    ? []
    : [
        {
          id: "agents-mcp-rejected",
          severity: "high",
          servers: [...new Set(agents.flatMap(({ servers }) => names(servers)))],
          paths,
          what: "OpenClaw knows no mcp below agents, and rejects a configuration with it.",
          plugin: "Takes agents.*.mcp in its own settings."
        }
      ]
}

const processes = (root: unknown, servers: ReadonlyArray<NativeServer>): ReadonlyArray<DoctorFinding> => {
  const started = names(servers.filter(({ transport }) => transport === "stdio"))
  if (started.length === 0) return []
  const ttl = at(root, ["mcp", "sessionIdleTtlMs"])
  const ends = typeof ttl === "number" && ttl > 0
  const paths = started.map((name) => keyPath("mcp", "servers", name))
  return [
    {
      id: "no-restart",
      severity: "medium",
      servers: started,
      paths,
      what: "A server that crashes is not restarted automatically, and there is no backoff: calls fail until a later one connects again.",
      plugin: `${MOVES} are restarted automatically, with a growing delay.`
    },
    {
      id: "process-per-session",
      severity: "low",
      servers: started,
      paths,
      what: `Each session starts a process of its own for each of them, with two helpers${ends ? "" : ", and they stay until the session ends: mcp.sessionIdleTtlMs is not set"}.`,
      plugin: `${MOVES} are shared by all sessions of an agent, and by agents with the same launch.`
    }
  ]
}

export const aboutAll = (
  root: unknown,
  servers: ReadonlyArray<NativeServer>,
  plugin: PluginState,
  agents: ReadonlyArray<ConfiguredAgent>
): ReadonlyArray<DoctorFinding> => [
  ...framing(root, servers, plugin),
  ...foreignKeys(agents),
  ...processes(root, servers)
]
