/** Lines for OpenClaw's configuration, as JSON5. Values of the present one are not repeated: they may be secrets. */
import type { DoctorFinding, NativeServer, Surroundings } from "./report.ts"
import { PLUGIN, type PluginState } from "./plugin.ts"
import { at, membersAt } from "./read.ts"

/** What moving a server to the plugin closes. */
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

/** What stands there is to be replaced; a reference stays what it is. */
const SECRETS = new Set(["plaintext-secret", "secret-object"])
const VARIABLE = /[^A-Za-z0-9]+/g

const escaped = (text: string): string =>
  text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** It is shown on a terminal: what moves a cursor, or hides, is spelled out. */
const quoted = (text: string): string => JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped)

/** The name of a variable in which the value may be: `Authorization` of `docs` is `DOCS_AUTHORIZATION`. */
const variableOf = (server: string, section: string, key: string): string =>
  (section === "env" ? key : `${server}_${key}`)
    .replace(VARIABLE, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase()

/** OpenClaw hands none of its own variables on. */
const inFile = (name: string): string => `secret://file/run/secrets/${name.toLowerCase()}`
const inVariable = (name: string): string => `secret://env/${name}`

const sectionOf = (
  server: NativeServer,
  section: "env" | "headers",
  isSecret: (key: string) => boolean,
  refer: (name: string) => string = inVariable
) => {
  const members = membersAt(server.entry, [section])
  if (members.length === 0) return []
  const lines = members.map(([key]) =>
    isSecret(key)
      ? `${quoted(key)}: ${quoted(refer(variableOf(server.name, section, key)))}`
      : `${quoted(key)}: "…" /* as it was */`
  )
  return [`${section}: { ${lines.join(", ")} }`]
}

const secretIn = (server: NativeServer, findings: ReadonlyArray<DoctorFinding>) => {
  const own = findings.filter(({ id, servers }) => SECRETS.has(id) && servers.includes(server.name))
  return (section: string) => (key: string) =>
    own.some(({ paths }) =>
      paths.some((path) => path.endsWith(`.${section}.${key}`) || path.endsWith(`.${section}[${quoted(key)}]`))
    )
}

const serverLines = (server: NativeServer, findings: ReadonlyArray<DoctorFinding>): string => {
  const isSecret = secretIn(server, findings)
  const has = (key: string) => at(server.entry, [key]) !== undefined
  const parts = [
    ...["command", "args", "cwd", "url"]
      .filter(has)
      .map((key) => `${key}: ${key === "args" ? "[]" : '"…"'} /* as it was */`),
    ...sectionOf(server, "env", isSecret("env")),
    ...sectionOf(server, "headers", isSecret("headers"))
  ]
  return `${quoted(server.name)}: { ${parts.join(", ")} }`
}

const RESOLVED_BY_EXEC = new Set(["plaintext-secret", "secret-reference"])

/** The same servers where they are: OpenClaw starts our program, which becomes theirs. */
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
    const env = sectionOf(server, "env", secretIn(server, findings)("env"), inFile)
    const launch = `command: "mcp-live", args: ["exec", "--", "…" /* command as it was, then args */]`
    return `// ${quoted(server.name)}: { ${[launch, ...env].join(", ")} }`
  })
  return ["// either below mcp.servers, where they are (any reference does), or with the plugin, as follows:", ...lines]
}

export const adviceOf = (
  servers: ReadonlyArray<NativeServer>,
  findings: ReadonlyArray<DoctorFinding>,
  { agents, enabled }: PluginState,
  { pluginFolder }: Surroundings
): string | null => {
  const helps = findings.filter(({ plugin }) => plugin !== null)
  const moved = servers.filter(
    ({ enabled: isUsed, name, transport }) =>
      isUsed &&
      transport !== "none" &&
      findings.some((finding) => MOVED.has(finding.id) && finding.servers.includes(name))
  )
  if (helps.length === 0 || (enabled && moved.length === 0)) return null
  const lines = moved.map((server, i) => `${serverLines(server, findings)}${i === moved.length - 1 ? "" : ","}`)
  if (enabled && agents) {
    return [
      ...execLines(moved, findings),
      `// below agents.defaults.mcp.servers of the plugin, or of its file, and no more in mcp.servers:`,
      ...lines
    ].join("\n")
  }
  const config =
    lines.length === 0
      ? ["      config: {}"]
      : [
          "      config: {",
          "        agents: {",
          "          // Only the agents that are listed have these servers; take them out of mcp.servers.",
          '          list: [{ id: "main", default: true }],',
          "          defaults: {",
          "            mcp: {",
          "              servers: {",
          ...lines.map((line) => `                ${line}`),
          "              }",
          "            }",
          "          }",
          "        }",
          "      }"
        ]
  return [
    ...execLines(moved, findings),
    "plugins: {",
    `  load: { paths: [${quoted(pluginFolder)}] },`,
    "  entries: {",
    `    ${quoted(PLUGIN)}: {`,
    "      enabled: true,",
    ...config,
    "    }",
    "  }",
    "}"
  ].join("\n")
}
