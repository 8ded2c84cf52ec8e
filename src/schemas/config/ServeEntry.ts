/**
 * `serve`: what MCP clients get of us, and which of them may connect. It stands where `acp` does: under `mcp` in
 * openclaw.json, beside `servers` or `mcpServers` in files of those forms.
 */
import { DOOR_NAMES_MAX } from "../defaults/Listener.ts"
import { SERVE_CLIENTS_MAX, SERVE_OWN_CEILING, SERVE_PAGE_ITEMS_CEILING } from "../defaults/Serve.ts"
import { ISOLATIONS, type Isolation } from "../connection/Isolation.ts"
import { addressFault, hostFault, originFault } from "../listener/HttpDoor.ts"
import { isObject } from "../data/Json.ts"
import {
  DEFAULT_SERVE,
  STRUCTURED_CONTENT,
  type ServeClientConfig,
  type ServeConfig,
  type StructuredContent
} from "../listener/ServeConfig.ts"
import { warnOfPlaintext } from "./Credentials.ts"
import * as Field from "./Fields.ts"
import type { KeyPath } from "./KeyPath.ts"
import type { Report, WholeReport } from "./Report.ts"
import { refuseMask, resolveText, type Surroundings } from "./Resolve.ts"
import { SERVE_CLIENT_KEYS, SERVE_KEYS } from "./ServeKeys.ts"

const KEYS = Object.keys(SERVE_KEYS)

interface Place {
  readonly path: KeyPath
  readonly value: unknown
}

const atTop = (report: Report, root: Record<string, unknown>): Place | undefined => {
  const value = Field.member(root, "serve")
  const path = ["serve"]
  if (value === undefined) return undefined
  if (["servers", "mcpServers"].some((key) => Field.member(root, key) !== undefined)) return { path, value }
  if (isObject(value) && KEYS.some((key) => Field.member(value, key) !== undefined)) {
    report.warn(path, 'has no effect here: it stands under "mcp.serve"')
  }
  return undefined
}

/** The section of a configuration, wherever it stands; `inMcp` is the one under `mcp`. */
export const findServe = (report: Report, root: Record<string, unknown>, inMcp: unknown): Place | undefined => {
  const top = atTop(report, root)
  if (inMcp === undefined) return top
  if (top !== undefined) report.error(top.path, 'means the same as "mcp.serve", which is also given: keep one')
  return { path: ["mcp", "serve"], value: inMcp }
}

const pageSize = Field.whole("a number of items", 1, SERVE_PAGE_ITEMS_CEILING)

const ownServers = Field.whole("a number of servers", 1, SERVE_OWN_CEILING)

const isolate: Field.Read<Isolation | false> = (report, path, value) => {
  const known = [...ISOLATIONS, false as const].find((one) => one === value)
  if (known === undefined) report.error(path, `must be false, ${Field.oneOf(ISOLATIONS)}, is ${Field.show(value)}`)
  return known
}

const sound =
  (faultIn: (text: string) => string | undefined): Field.Read<string> =>
  (report, path, value) => {
    const text = Field.text(report, path, value)
    const fault = text === undefined ? undefined : faultIn(text)
    if (fault === undefined) return text
    report.error(path, `${fault}, is ${Field.show(text)}`)
    return undefined
  }

const host = sound(addressFault)

const sounds =
  (faultIn: (text: string) => string | undefined, what: string): Field.Read<ReadonlyArray<string>> =>
  (report, path, value) => {
    if (!Array.isArray(value)) {
      report.error(path, `must be a list of ${what}, is ${Field.kindOf(value)}`)
      return undefined
    }
    if (value.length > DOOR_NAMES_MAX) {
      report.error(path, `has more than ${DOOR_NAMES_MAX} ${what}`)
      return undefined
    }
    const read = sound(faultIn)
    return value.flatMap((item: unknown, index) => read(report, [...path, index], item) ?? [])
  }

const hosts = sounds(hostFault, "names")

const origins = sounds(originFault, "origins")

const structuredContent: Field.Read<StructuredContent> = (report, path, value) => {
  const known = STRUCTURED_CONTENT.find((one) => one === value)
  if (known === undefined) report.error(path, `must be ${Field.oneOf(STRUCTURED_CONTENT)}, is ${Field.show(value)}`)
  return known
}

const readClient = (
  whole: WholeReport,
  context: Surroundings,
  path: KeyPath,
  value: unknown
): ServeClientConfig | undefined => {
  const report = whole.ofPart()
  if (!isObject(value)) {
    report.error(path, `must be an object, is ${Field.kindOf(value)}`)
    return undefined
  }
  const raw = Field.closed(report, path, value, SERVE_CLIENT_KEYS)
  const read = (key: (typeof SERVE_CLIENT_KEYS)[number]) => {
    const given = Field.member(raw, key)
    return given === undefined ? undefined : Field.text(report, [...path, key], given)
  }
  const [name, written, agent] = [read("name"), read("token"), read("agent")]
  for (const key of ["name", "token"] as const) {
    if (Field.member(raw, key) === undefined) report.error([...path, key], "is missing")
  }
  if (name === undefined || written === undefined) return undefined
  const token = { path: [...path, "token"], value: written }
  warnOfPlaintext(report, token)
  const resolved = resolveText(report, context.env, true, token)
  refuseMask(report, resolved, "token")
  const fault = report.fault()
  return { name, token: resolved.text, agent, ...(fault !== undefined && { fault }) }
}

const readClients = (
  report: WholeReport,
  context: Surroundings,
  agents: ReadonlyArray<string>,
  path: KeyPath,
  value: unknown
): ReadonlyArray<ServeClientConfig> => {
  if (!Array.isArray(value)) {
    report.error(path, `must be a list of clients, is ${Field.kindOf(value)}`)
    return []
  }
  if (value.length > SERVE_CLIENTS_MAX) {
    report.error(path, `has more than ${SERVE_CLIENTS_MAX} clients`)
    return []
  }
  const names = new Set<string>()
  return value.flatMap((item: unknown, i) => {
    const client = readClient(report, context, [...path, i], item)
    if (client === undefined) return []
    if (names.has(client.name)) report.error([...path, i, "name"], "is the name of another client, too")
    names.add(client.name)
    if (client.agent !== undefined && !agents.includes(client.agent)) {
      report.error([...path, i, "agent"], `is no agent of this configuration; there are: ${agents.join(", ")}`)
    }
    return [client]
  })
}

export const readServe = (
  report: WholeReport,
  context: Surroundings,
  agents: ReadonlyArray<string>,
  place: Place | undefined
): ServeConfig => {
  if (place === undefined) return DEFAULT_SERVE
  const { path } = place
  const raw = Field.closed(report, path, place.value, KEYS)
  const read = <A>(key: keyof ServeConfig, reader: Field.Read<A>): A | undefined => {
    const value = Field.member(raw, key)
    return value === undefined ? undefined : reader(report, [...path, key], value)
  }
  return {
    clients:
      read("clients", (_, where, value) => readClients(report, context, agents, where, value)) ?? DEFAULT_SERVE.clients,
    structuredContent: read("structuredContent", structuredContent) ?? DEFAULT_SERVE.structuredContent,
    toolIndex: read("toolIndex", Field.flag) ?? DEFAULT_SERVE.toolIndex,
    pageSize: read("pageSize", pageSize) ?? DEFAULT_SERVE.pageSize,
    host: read("host", host) ?? DEFAULT_SERVE.host,
    hosts: read("hosts", hosts) ?? DEFAULT_SERVE.hosts,
    origins: read("origins", origins) ?? DEFAULT_SERVE.origins,
    isolate: read("isolate", isolate) ?? DEFAULT_SERVE.isolate,
    maxOwnServers: read("maxOwnServers", ownServers) ?? DEFAULT_SERVE.maxOwnServers,
    maxOwnServersPerClient: read("maxOwnServersPerClient", ownServers) ?? DEFAULT_SERVE.maxOwnServersPerClient
  }
}
