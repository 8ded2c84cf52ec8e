/**
 * Reads the agents of a configuration: `agents.defaults`, and each agent of `agents.list` (objects with an `id`) or
 * `agents.entries` (the same objects by id, as newer OpenClaw versions write them). Without any there is one agent, `main`.
 */
import { nearest } from "../call/Names.ts"
import * as Field from "./Fields.ts"
import { flag } from "./Keys.ts"
import type { KeyPath } from "./KeyPath.ts"
import { type ModelEntry, readModel } from "./ModelEntry.ts"
import { readValue } from "./ReadKeys.ts"
import type { Report } from "./Report.ts"
import { type McpEntry, NO_MCP, readMcp } from "./ServerEntries.ts"
import { type PlacedRules, readRulesIn } from "./ToolRulesEntry.ts"

/** The settings that defaults and agents share. */
export interface AgentSettings {
  readonly mcp: McpEntry
  readonly rules: PlacedRules | undefined
  readonly model: ModelEntry | undefined
}

export interface AgentEntry extends AgentSettings {
  readonly id: string
  readonly path: KeyPath
  readonly isDefault: boolean
}

export interface AgentEntries {
  readonly defaults: AgentSettings
  /** Never empty. */
  readonly agents: ReadonlyArray<AgentEntry>
}

const NOTHING: AgentSettings = { mcp: NO_MCP, rules: undefined, model: undefined }
const MAIN: AgentEntry = { ...NOTHING, id: "main", path: ["agents"], isDefault: true }

const ID_MAX_CHARS = 64
export const AGENT_ID = new RegExp(`^[A-Za-z0-9_-]{1,${ID_MAX_CHARS}}$`)

const readSettings = (report: Report, path: KeyPath, raw: Record<string, unknown>): AgentSettings => {
  for (const key of ["mcpServers", "servers"]) {
    const place = [...path, key]
    if (Object.hasOwn(raw, key)) report.error(place, 'unknown key: servers of agents belong under "mcp.servers"')
  }
  const model = Field.member(raw, "model")
  return {
    mcp: readMcp(report, [...path, "mcp"], Field.member(raw, "mcp"), "agent"),
    rules: readRulesIn(report, path, raw),
    model: model === undefined ? undefined : readModel(report, [...path, "model"], model)
  }
}

const isId = (id: unknown): id is string => typeof id === "string" && AGENT_ID.test(id) && !Field.RESERVED_NAMES.has(id)

/** An agent without a valid id is checked like any other; the error is reported here. */
const readAgent = (report: Report, path: KeyPath, idPath: KeyPath, id: unknown, value: unknown): Array<AgentEntry> => {
  const raw = Field.record(report, path, value)
  if (raw === undefined) return []
  if (id === undefined) report.error(path, 'needs an "id"')
  else if (!isId(id)) {
    const found = typeof id === "string" ? JSON.stringify(id) : Field.kindOf(id)
    report.error(idPath, `must be 1 to ${ID_MAX_CHARS} letters, digits, "_" or "-", is ${found}`)
  }
  const isDefault = Field.member(raw, "default")
  return [
    {
      ...readSettings(report, path, raw),
      id: isId(id) ? id : "",
      path,
      isDefault: isDefault !== undefined && readValue(flag, report, [...path, "default"], isDefault) === true
    }
  ]
}

const readList = (report: Report, path: KeyPath, value: unknown): ReadonlyArray<AgentEntry> => {
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    report.error(path, `must be a list of agents, is ${Field.kindOf(value)}`)
    return []
  }
  return value.flatMap((item: unknown, index) => {
    const place = [...path, index]
    const id = typeof item === "object" && item !== null && "id" in item ? item.id : undefined
    return readAgent(report, place, [...place, "id"], id, item)
  })
}

const readEntries = (report: Report, path: KeyPath, value: unknown): ReadonlyArray<AgentEntry> => {
  const entries = value === undefined ? undefined : Field.record(report, path, value)
  return entries === undefined
    ? []
    : Field.membersOf(entries).flatMap(([id, entry]) => {
        const place = [...path, id]
        return readAgent(report, place, place, id, entry)
      })
}

const checkTogether = (report: Report, agents: ReadonlyArray<AgentEntry>): void => {
  const seen = new Set<string>()
  for (const { id, path } of agents) {
    if (id !== "" && seen.has(id)) report.error(path, `an agent with the id "${id}" is there already`)
    seen.add(id)
  }
  for (const { path } of agents.filter((agent) => agent.isDefault).slice(1)) {
    report.warn([...path, "default"], "another agent is the default already; the first one counts")
  }
}

export const readAgents = (report: Report, value: unknown): AgentEntries => {
  const raw = value === undefined ? undefined : Field.record(report, ["agents"], value)
  if (raw === undefined) return { defaults: NOTHING, agents: [MAIN] }
  const known = ["defaults", "list", "entries"]
  for (const [key] of Field.membersOf(raw)) {
    const slip = known.includes(key) ? null : nearest(key, known)
    if (slip !== null) report.error(["agents", key], `unknown key, did you mean "${slip}"?`)
  }
  const path = ["agents", "defaults"]
  const defaults = Field.member(raw, "defaults")
  const settings = defaults === undefined ? undefined : Field.record(report, path, defaults)
  const agents = [
    ...readList(report, ["agents", "list"], Field.member(raw, "list")),
    ...readEntries(report, ["agents", "entries"], Field.member(raw, "entries"))
  ]
  checkTogether(report, agents)
  return {
    defaults: settings === undefined ? NOTHING : readSettings(report, path, settings),
    agents: agents.length === 0 ? [MAIN] : agents
  }
}
