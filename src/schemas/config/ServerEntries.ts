/** The servers of one place in a configuration, by name: `mcp: { servers }`, or a bare record of entries. */
import { warnOfServerCredentials } from "./Credentials.ts"
import * as Field from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import { type Report, unknownKey } from "./Report.ts"
import { serverNameProblem } from "./ServerBuild.ts"
import { mergeEntries, readServerEntry, type ServerEntry } from "./ServerEntry.ts"
import type { Dialect } from "./ServerKeys.ts"

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

/** `inert`: keys of OpenClaw that are known here and do nothing. */
export const readMcp = (report: Report, path: KeyPath, value: unknown, inert: ReadonlyArray<string>): ServerEntries => {
  const raw = value === undefined ? undefined : Field.record(report, path, value)
  if (raw === undefined) return new Map()
  for (const [key] of Field.membersOf(raw)) {
    if (inert.includes(key)) report.warn([...path, key], "has no effect here")
    else if (key !== "servers") report.error([...path, key], unknownKey(key, ["servers", ...inert]))
  }
  return readServers(report, "openclaw", [...path, "servers"], Field.member(raw, "servers"))
}

/** Later entries of a server merge over earlier ones. */
export const mergeServers = (layers: ReadonlyArray<ServerEntries>): ServerEntries => {
  const merged = new Map<string, ServerEntry>()
  for (const [name, entry] of layers.flatMap((layer) => [...layer])) {
    const base = merged.get(name)
    merged.set(name, base === undefined ? entry : mergeEntries(base, entry))
  }
  return merged
}
