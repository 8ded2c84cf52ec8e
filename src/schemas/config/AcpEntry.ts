/**
 * `acp`: what an ACP client may bring along. It stands where `audit` does: under `mcp` in openclaw.json, whose own top-level
 * `acp` is something else; beside `servers` or `mcpServers` in files of those forms.
 */
import { DEFAULT_ACP, type AcpConfig } from "./AcpConfig.ts"
import { ACP_SERVERS_CEILING, ACP_TOOLS_CEILING } from "../defaults/Acp.ts"
import { TIMER_MAX_MS } from "../defaults/Configuration.ts"
import { BACKENDS, type Backend } from "../agent/GatewayChoice.ts"
import { isObject } from "../data/Json.ts"
import { ACP_KEYS } from "./AcpKeys.ts"
import * as Field from "./Fields.ts"
import type { KeyPath, Located } from "./KeyPath.ts"
import { readLimit } from "./LimitsEntry.ts"
import type { Report } from "./Report.ts"

const KEYS = Object.keys(ACP_KEYS)

const isBackend = (value: Record<string, unknown>): boolean =>
  BACKENDS.some((backend) => backend === Field.member(value, "backend"))

interface Place {
  readonly path: KeyPath
  readonly value: unknown
}

const atTop = (report: Report, root: Record<string, unknown>): Place | undefined => {
  const value = Field.member(root, "acp")
  const path = ["acp"]
  if (value === undefined) return undefined
  if (["servers", "mcpServers"].some((key) => Field.member(root, key) !== undefined)) return { path, value }
  // OpenClaw's own section has a `backend` too, which is called otherwise.
  const isOurs =
    isObject(value) &&
    (KEYS.some((key) => key !== "backend" && Field.member(value, key) !== undefined) || isBackend(value))
  if (isOurs) report.warn(path, 'has no effect here: it stands under "mcp.acp"')
  return undefined
}

/** The section of a configuration, wherever it stands; `inMcp` is the one under `mcp`. */
export const findAcp = (report: Report, root: Record<string, unknown>, inMcp: unknown): Place | undefined => {
  const top = atTop(report, root)
  if (inMcp === undefined) return top
  if (top !== undefined) report.error(top.path, 'means the same as "mcp.acp", which is also given: keep one')
  return { path: ["mcp", "acp"], value: inMcp }
}

const servers = Field.whole("a number of servers, or 0 for none", 0, ACP_SERVERS_CEILING)
const tools = Field.whole("a number of tools, or 0 for none", 0, ACP_TOOLS_CEILING)
const backends = Field.word(BACKENDS)
const backend: Field.Read<Backend> = (report, path, value) => {
  const given = backends(report, path, value)
  const known = BACKENDS.find((one) => one === given)
  if (given !== undefined && known === undefined)
    report.error(path, `must be ${Field.oneOf(BACKENDS)}, is ${Field.show(value)}`)
  return known
}
/** The texts of a list, without their places. */
const textsOf =
  (reader: Field.Read<ReadonlyArray<Located<string>>>): Field.Read<ReadonlyArray<string>> =>
  (report, path, value) =>
    reader(report, path, value)?.map((one) => one.value)

const exactNames: Field.Read<ReadonlyArray<string>> = (report, path, value) =>
  Field.names(report, path, value)?.map((one) => {
    if (/[*?]/.test(one.value)) report.error(one.path, "takes exact names, and no patterns")
    return one.value
  })

const silence = Field.whole("a positive number of milliseconds", 1, TIMER_MAX_MS)
const tokens = Field.whole("a number of tokens, or 0 for unknown", 0)

export const readAcp = (report: Report, place: Place | undefined): AcpConfig => {
  if (place === undefined) return DEFAULT_ACP
  const { path } = place
  const raw = Field.closed(report, path, place.value, KEYS)
  const read = <A>(key: keyof AcpConfig, reader: Field.Read<A>): A | undefined => {
    const value = Field.member(raw, key)
    return value === undefined ? undefined : reader(report, [...path, key], value)
  }
  const chosen = read("backend", backend)
  const burst = read("burst", readLimit.burst)
  const allowHosts = read("allowHosts", textsOf(Field.globs))
  return {
    ...(chosen === undefined ? {} : { backend: chosen }),
    ...(allowHosts === undefined ? {} : { allowHosts }),
    ...(burst === undefined ? {} : { burst }),
    maxServers: read("maxServers", servers) ?? DEFAULT_ACP.maxServers,
    maxTools: read("maxTools", tools) ?? DEFAULT_ACP.maxTools,
    callsPerMinute: read("callsPerMinute", readLimit.perMinute) ?? DEFAULT_ACP.callsPerMinute,
    toolTimeout: read("toolTimeout", silence) ?? DEFAULT_ACP.toolTimeout,
    stdio: read("stdio", Field.flag) ?? DEFAULT_ACP.stdio,
    allowPrivate: read("allowPrivate", Field.flag) ?? DEFAULT_ACP.allowPrivate,
    denyHosts: read("denyHosts", textsOf(Field.globs)) ?? DEFAULT_ACP.denyHosts,
    allowEnv: read("allowEnv", exactNames) ?? DEFAULT_ACP.allowEnv,
    contextWindow: read("contextWindow", tokens) ?? DEFAULT_ACP.contextWindow,
    resourceContext: read("resourceContext", Field.flag) ?? DEFAULT_ACP.resourceContext,
    dynamicTools: read("dynamicTools", Field.flag) ?? DEFAULT_ACP.dynamicTools,
    roots: read("roots", Field.flag) ?? DEFAULT_ACP.roots
  }
}
