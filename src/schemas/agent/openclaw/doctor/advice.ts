/** Suggested lines for OpenClaw's configuration, as JSON5. They do not repeat present values, which may be secrets. */
import { isObject } from "../../../data/Json.ts"
import { ofHeader, ofVariable } from "../NativeCredentials.ts"
import type { ConfiguredAgent } from "./agents.ts"
import type { DoctorFinding, NativeServer, Surroundings } from "./report.ts"
import { PLUGIN, type PluginState } from "./plugin.ts"
import { at, membersAt } from "./read.ts"

/** The findings that moving a server to the plugin fixes. */
const MOVED = new Set([
  "plaintext-secret",
  "secret-reference",
  "secret-object",
  "agents-ignored",
  "codex-agents-only",
  "private-address",
  "no-restart",
  "process-per-session"
])

const VARIABLE = /[^A-Za-z0-9]+/g

const escaped = (text: string): string =>
  text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** For a terminal: characters that move the cursor or are invisible are escaped. */
const quoted = (text: string): string => JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)

/** A variable name for a value: `Authorization` of `docs` becomes `DOCS_AUTHORIZATION`. */
const variableOf = (server: string, section: string, key: string): string =>
  (section === "env" ? key : `${server}_${key}`)
    .replace(VARIABLE, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase()

/** OpenClaw passes none of its own variables on. */
const inFile = (name: string): string => `secret://file/run/secrets/${name.toLowerCase()}`
const inVariable = (name: string): string => `secret://env/${name}`

const isSecret = (section: "env" | "headers", key: string, value: unknown): boolean =>
  isObject(value) || (section === "env" ? ofVariable(key, value) : ofHeader(key, value)).length > 0

/** Replaces credentials; references stay. */
const sectionOf = (
  server: NativeServer,
  section: "env" | "headers",
  refer: (name: string) => string = inVariable
): ReadonlyArray<string> => {
  const members = membersAt(server.entry, [section])
  if (members.length === 0) return []
  const lines = members.map(([key, value]) =>
    isSecret(section, key, value)
      ? `${quoted(key)}: ${quoted(refer(variableOf(server.name, section, key)))}`
      : `${quoted(key)}: "…" /* as it was */`
  )
  return [`${section}: { ${lines.join(", ")} }`]
}

const LAUNCH = ["command", "args", "cwd", "url"]
const PLAIN = /^[A-Za-z]\w*$/

/** Keys that mcp-live knows, too: numbers and booleans with their values, others by name only. */
const restOf = ({ entry }: NativeServer): ReadonlyArray<string> => {
  const rest = membersAt(entry, []).filter(([key]) => PLAIN.test(key) && ![...LAUNCH, "env", "headers"].includes(key))
  const isKept = (value: unknown) => typeof value === "number" || typeof value === "boolean"
  const named = rest.flatMap(([key, value]) => (isKept(value) ? [] : [key]))
  return [
    ...rest.flatMap(([key, value]) => (isKept(value) ? [`${key}: ${value}`] : [])),
    ...(named.length === 0 ? [] : [`/* and as they were: ${named.join(", ")} */`])
  ]
}

const serverLines = (server: NativeServer, isOurs = false): string => {
  const parts = [
    ...LAUNCH.filter((key) => at(server.entry, [key]) !== undefined).map(
      (key) => `${key}: ${key === "args" ? "[]" : '"…"'} /* as it was */`
    ),
    ...sectionOf(server, "env"),
    ...sectionOf(server, "headers"),
    ...(isOurs ? restOf(server) : [])
  ]
  return `${quoted(server.name)}: { ${parts.join(", ")} }`
}

const RESOLVED_BY_EXEC = new Set(["plaintext-secret", "secret-reference"])

/** The same servers in their present place: OpenClaw starts mcp-live, which replaces itself by the server. */
const execLines = (
  servers: ReadonlyArray<NativeServer>,
  findings: ReadonlyArray<DoctorFinding>
): ReadonlyArray<string> => {
  const meant = servers.filter(
    ({ name, transport }) =>
      transport === "stdio" && findings.some(({ id, servers: of }) => RESOLVED_BY_EXEC.has(id) && of.includes(name))
  )
  if (meant.length === 0) return []
  const lines = meant.map((server) => {
    const launch = `command: "mcp-live", args: ["exec", "--", "…" /* command as it was, then args */]`
    return `// ${quoted(server.name)}: { ${[launch, ...sectionOf(server, "env", inFile)].join(", ")} }`
  })
  return ["// either below mcp.servers, where they are (any reference does), or with the plugin, as follows:", ...lines]
}

const listed = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line, i) => (i === lines.length - 1 ? line : `${line},`))

const indented = (lines: ReadonlyArray<string>, by: number) => lines.map((line) => `${" ".repeat(by)}${line}`)

const block = (opening: string, lines: ReadonlyArray<string>, closing: string): ReadonlyArray<string> => [
  opening,
  ...indented(lines, 2),
  closing
]

/** All agents of OpenClaw: an unlisted one gets no servers from the plugin. */
const agentLines = (agents: ReadonlyArray<ConfiguredAgent>): ReadonlyArray<string> => {
  const named = agents.filter(({ id }) => id !== undefined)
  const ids = [...new Set(named.map(({ id }) => id!))]
  if (ids.length === 0) return ['{ id: "main", default: true }']
  return listed(
    ids.map((id) => {
      const same = named.filter((agent) => agent.id === id)
      const servers = listed(same.flatMap((agent) => agent.servers).map((server) => serverLines(server, true)))
      const parts = [
        `id: ${quoted(id)}`,
        ...(same.some(({ isDefault }) => isDefault) ? ["default: true"] : []),
        ...(servers.length === 0 ? [] : [`mcp: { servers: { ${servers.join(" ")} } }`])
      ]
      return `{ ${parts.join(", ")} }`
    })
  )
}

export interface AdviceOptions {
  readonly servers: ReadonlyArray<NativeServer>
  readonly agents: ReadonlyArray<ConfiguredAgent>
  readonly findings: ReadonlyArray<DoctorFinding>
  readonly plugin: PluginState
  readonly surroundings: Surroundings
}

export const adviceOf = (options: AdviceOptions): string | null => {
  const { agents, findings, plugin, servers, surroundings } = options
  const moved = servers.filter(
    ({ enabled, name, transport }) =>
      enabled &&
      transport !== "none" &&
      findings.some((finding) => MOVED.has(finding.id) && finding.servers.includes(name))
  )
  const carried = agents.filter((agent) => agent.servers.length > 0)
  const isNeeded = moved.length > 0 || carried.length > 0
  if (findings.every((finding) => finding.plugin === null) || (plugin.enabled && !isNeeded)) return null
  const defaults = listed([
    ...carried.flatMap((agent) => (agent.isDefaults ? agent.servers.map((server) => serverLines(server, true)) : [])),
    ...moved.map((server) => serverLines(server))
  ])
  const own = carried.some(({ isDefaults }) => !isDefaults)
  const exec = execLines(moved, findings)
  if (plugin.enabled && plugin.agents) {
    return [
      ...exec,
      ...(defaults.length === 0
        ? []
        : [
            "// below agents.defaults.mcp.servers of the plugin, or of its file, and no more where they are now:",
            ...defaults
          ]),
      ...(own
        ? [
            "// below agents.list of the plugin, or of its file, and no mcp below agents any more:",
            ...agentLines(carried)
          ]
        : [])
    ].join("\n")
  }
  const settings = isNeeded
    ? block(
        "config: {",
        block(
          "agents: {",
          [
            "// Only the agents that are listed have servers; take these out of where they are now.",
            ...block("list: [", agentLines(agents), defaults.length === 0 ? "]" : "],"),
            ...(defaults.length === 0
              ? []
              : block("defaults: {", block("mcp: {", block("servers: {", defaults, "}"), "}"), "}"))
          ],
          "}"
        ),
        "}"
      )
    : ["config: {}"]
  const hooks = isNeeded
    ? ["// hooks: { allowConversationAccess: true }, // lets it put resources of servers into prompts"]
    : []
  return [
    ...exec,
    ...block(
      "plugins: {",
      [
        `load: { paths: [${quoted(surroundings.pluginFolder)}] },`,
        ...block("entries: {", block(`${quoted(PLUGIN)}: {`, ["enabled: true,", ...hooks, ...settings], "}"), "}")
      ],
      "}"
    )
  ].join("\n")
}
