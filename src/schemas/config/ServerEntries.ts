/** Reads the servers of one place in a configuration, by name: `mcp: { servers }`, or a plain record of entries. */
import * as Schema from "effect/Schema"
import { TOOL_INDEX_THRESHOLD } from "../defaults/Catalogue.ts"
import { warnOfServerCredentials } from "./ServerCredentials.ts"
import * as Field from "./Fields.ts"
import { numberProblem, optional, whole } from "./Keys.ts"
import type { KeyPath } from "./KeyPath.ts"
import { readKeys } from "./ReadKeys.ts"
import { type Report, unknownKey } from "./Report.ts"
import { serverNameProblem } from "./ServerBuild.ts"
import { mergeEntries, readServerEntry, type ServerEntry } from "./ServerEntry.ts"
import { SERVE } from "../listener/ServeConfig.ts"
import { SECTION_NAMES } from "./AllSections.ts"
import type { Dialect } from "./Dialects.ts"
import { notes } from "./Notes.ts"

export type ServerEntries = ReadonlyMap<string, ServerEntry>

export const readServers = (report: Report, dialect: Dialect, path: KeyPath, value: unknown): ServerEntries => {
  const servers = new Map<string, ServerEntry>()
  const raw = value === undefined ? undefined : Field.record(report, path, value)
  for (const [name, item] of raw === undefined ? [] : Field.membersOf(raw)) {
    const place = [...path, name]
    const problem = serverNameProblem(name)
    if (problem !== undefined) report.error(place, problem)
    const entry = readServerEntry(report, dialect, place, item)
    if (entry === undefined) continue
    warnOfServerCredentials(report, name, entry)
    servers.set(name, entry)
  }
  return servers
}

/** One `mcp: { servers, toolIndex }`: at the top, in the defaults, or in an agent; `sections` are only in the one at the top. */
export interface McpEntry {
  readonly servers: ServerEntries
  /** With more tools than this they are searched instead of listed, 0 means never; `undefined` when it is not set. */
  readonly toolIndexThreshold: number | undefined
  /** By name, not decoded yet. */
  readonly sections: Readonly<Record<string, unknown>>
}

export const NO_MCP: McpEntry = { servers: new Map(), toolIndexThreshold: undefined, sections: {} }

const MCP_KEYS = ["servers", "toolIndex"]
/** OpenClaw's own keys in the top-level `mcp`: accepted, without effect. */
export const INERT_KEYS = ["sessionIdleTtlMs", "apps"]
/** `server` is as similar to `serve`, but means `servers`. */
const meantBy = (key: string, known: ReadonlyArray<string>) =>
  /^server/i.test(key) ? known.filter((name) => name !== SERVE.name) : known

const THRESHOLD = "a number of tools, or 0 or false for never"

export const TOOL_INDEX_KEYS = {
  threshold: optional(
    Schema.Union([Schema.Literal(false), whole(THRESHOLD, 0)]).annotate(
      notes({ problem: numberProblem(THRESHOLD, 0) })
    ),
    `${TOOL_INDEX_THRESHOLD}`,
    "an agent with more tools than this gets a tool search instead; 0 or false: never"
  )
}

/** `toolIndex: { threshold }`; `false` stands for a threshold that is never reached. */
const readToolIndex = (report: Report, path: KeyPath, value: unknown): number | undefined => {
  if (value === undefined) return undefined
  const threshold = value === false ? false : readKeys(TOOL_INDEX_KEYS, report, path, value).threshold
  return threshold === false ? 0 : threshold
}

export const readMcp = (report: Report, path: KeyPath, value: unknown, where: "top" | "agent"): McpEntry => {
  const raw = value === undefined ? undefined : Field.record(report, path, value)
  if (raw === undefined) return NO_MCP
  const known = where === "top" ? [...MCP_KEYS, ...SECTION_NAMES] : MCP_KEYS
  const inert = where === "top" ? INERT_KEYS : []
  for (const [key] of Field.membersOf(raw)) {
    if (inert.includes(key)) report.warn([...path, key], "has no effect here")
    else if (SECTION_NAMES.includes(key) && where === "agent")
      report.error([...path, key], 'belongs in the top-level "mcp" only')
    else if (!known.includes(key)) report.error([...path, key], unknownKey(key, meantBy(key, [...known, ...inert])))
  }
  return {
    sections: where === "top" ? raw : {},
    servers: readServers(report, "openclaw", [...path, "servers"], Field.member(raw, "servers")),
    toolIndexThreshold: readToolIndex(report, [...path, "toolIndex"], Field.member(raw, "toolIndex"))
  }
}

/** Later entries of a server are merged over earlier ones. */
export const mergeServers = (layers: ReadonlyArray<ServerEntries>): ServerEntries => {
  const merged = new Map<string, ServerEntry>()
  for (const [name, entry] of layers.flatMap((layer) => [...layer])) {
    const base = merged.get(name)
    merged.set(name, base === undefined ? entry : mergeEntries(base, entry))
  }
  return merged
}

/** Those of all agents, of every place at the top. */
export const sharedServers = (report: Report, root: Record<string, unknown>, mcp: McpEntry): ServerEntries =>
  mergeServers([
    readServers(report, "mcpServers", ["servers"], Field.member(root, "servers")),
    readServers(report, "mcpServers", ["mcpServers"], Field.member(root, "mcpServers")),
    mcp.servers
  ])
