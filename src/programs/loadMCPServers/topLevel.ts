/**
 * The top level of a configuration. A configuration that does not say where its servers are is reported as a mistake.
 * `toolIndex` next to `servers`, which only that form has, becomes `mcp.toolIndex`.
 */
import { isObject } from "../../schemas/data/Json.ts"
import { nearest } from "../../schemas/call/Names.ts"
import { membersOf } from "../../schemas/config/Fields.ts"
import { formatKeyPath } from "../../schemas/config/KeyPath.ts"
import { unknownKey } from "../../schemas/config/Report.ts"

export interface Translation {
  readonly value: unknown
  /** Problems, with the path as it was written. */
  readonly problems: ReadonlyArray<{ readonly path: string; readonly message: string }>
  /** Maps paths of the translated value to the original ones. */
  readonly origins: ReadonlyMap<string, string>
}

/** Keys that hold servers. */
const ROOTS = ["servers", "mcpServers", "mcp", "agents"]
/** Keys that may accompany `servers` when it is the only root. */
const BESIDE = ["toolIndex", "tools", "gateway", "secrets", "telemetry"]
/** Keys that editors add. */
const INERT: ReadonlySet<string> = new Set(["$schema", "inputs"])

const TOOL_INDEX = "toolIndex"

const noRoot = (keys: ReadonlyArray<string>): Translation["problems"][number] => {
  const places = `servers stand under one of ${ROOTS.map((root) => `"${root}"`).join(", ")}`
  const strangers = keys.filter((key) => !BESIDE.includes(key))
  const slip = strangers.map((key) => ({ key, meant: nearest(key, ROOTS) })).find(({ meant }) => meant !== null)
  return slip === undefined
    ? { path: "", message: `describes no servers: ${places}` }
    : { path: formatKeyPath([slip.key]), message: `unknown key, did you mean "${slip.meant}"? (${places})` }
}

export const translateTop = (config: unknown): Translation => {
  const unchanged = { value: config, origins: new Map() }
  if (!isObject(config)) return { ...unchanged, problems: [] }
  const keys = membersOf(config).map(([key]) => key)
  const roots = ROOTS.filter((root) => keys.includes(root))
  if (roots.length === 0) return { ...unchanged, problems: [noRoot(keys)] }
  // With other roots, other programs may have put anything into the file.
  if (roots.some((root) => root !== "servers")) return { ...unchanged, problems: [] }
  const known = [...ROOTS, ...BESIDE]
  const problems = keys
    .filter((key) => !known.includes(key) && !INERT.has(key))
    .map((key) => ({ path: formatKeyPath([key]), message: unknownKey(key, known) }))
  const { [TOOL_INDEX]: toolIndex, ...rest } = config
  if (toolIndex === undefined) return { ...unchanged, problems }
  const inside = isObject(toolIndex) ? Object.keys(toolIndex).map((key) => [TOOL_INDEX, key]) : []
  const origins = [[TOOL_INDEX], ...inside].map(
    (path) => [formatKeyPath(["mcp", ...path]), formatKeyPath(path)] as const
  )
  return { value: { ...rest, mcp: { toolIndex } }, problems, origins: new Map(origins) }
}
