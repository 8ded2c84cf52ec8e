/** The keys at the top of a configuration: which are read, and which were probably meant to be. */
import { basename, isAbsolute } from "node:path"
import { isTypingErrorOf, nearest } from "../call/Names.ts"
import { isObject } from "../data/Json.ts"
import { SECTION_NAMES } from "./AllSections.ts"
import { membersOf } from "./Fields.ts"
import type { Environment } from "./Interpolation.ts"
import type { Report } from "./Report.ts"
import { hasSome } from "./Sections.ts"

/** Top-level keys that are read, besides sections. */
export const OWN_KEYS: ReadonlySet<string> = new Set([
  "agents",
  "mcp",
  "mcpServers",
  "servers",
  "gateway",
  "tools",
  "toolPolicy"
])

/** Formats without a place for keys of OpenClaw. */
const hasPlainServers = (root: Record<string, unknown>): boolean => hasSome(root, ["servers", "mcpServers"])

/** Whether nobody but us reads the file: in one of OpenClaw, names of its own tools stand in the same lists as ours. */
export const isOursAlone = (
  root: Record<string, unknown>,
  { env, file }: { readonly env: Environment; readonly file: string }
): boolean => {
  const mayBeOpenClaws =
    !isAbsolute(file) || /^openclaw/i.test(basename(file)) || env["OPENCLAW_CONFIG_PATH"] !== undefined
  return hasPlainServers(root) || !mayBeOpenClaws
}

const strangersIn = (root: Record<string, unknown>): ReadonlyArray<readonly [key: string, value: unknown]> =>
  membersOf(root).filter(([key]) => !OWN_KEYS.has(key) && !SECTION_NAMES.includes(key))

/** Only of what is very similar: OpenClaw and others have keys of their own there. Shorter names are similar to too much. */
const NAME_MIN_CHARS = 3

const slipsIn = (root: Record<string, unknown>) => {
  const known = [...OWN_KEYS, ...(hasPlainServers(root) ? SECTION_NAMES : [])]
  return strangersIn(root).flatMap(([key, value]) => {
    if (key.length < NAME_MIN_CHARS || !isObject(value)) return []
    const meant = known.find((name) => name.toLowerCase() === key.toLowerCase() || isTypingErrorOf(key, name))
    return meant === undefined ? [] : [{ key, meant }]
  })
}

/** Nothing in them is read. */
export const warnOfSlips = (report: Report, root: Record<string, unknown>): void => {
  for (const { key, meant } of slipsIn(root)) report.warn([key], `did you mean "${meant}"? This key is not read`)
}

export const warnOfNoServers = (report: Report, root: Record<string, unknown>): void => {
  const similar = strangersIn(root).map(([key]) => ({ key, meant: nearest(key, ["mcpServers", "servers", "agents"]) }))
  const slip = [...slipsIn(root), ...similar].find(({ meant }) => meant !== null)
  report.warn(
    slip === undefined ? [] : [slip.key],
    slip === undefined
      ? "no MCP server is configured: they belong under agents.defaults.mcp.servers, mcp.servers, mcpServers or servers"
      : `no MCP server is configured; did you mean "${slip.meant}"?`
  )
}
