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

const sectionOf = (server: NativeServer, section: "env" | "headers", isSecret: (key: string) => boolean) => {
  const members = membersAt(server.entry, [section])
  if (members.length === 0) return []
  const lines = members.map(([key]) =>
    isSecret(key)
      ? `${quoted(key)}: ${quoted(`secret://env/${variableOf(server.name, section, key)}`)}`
      : `${quoted(key)}: "…" /* as it was */`
  )
  return [`${section}: { ${lines.join(", ")} }`]
}

const serverLines = (server: NativeServer, findings: ReadonlyArray<DoctorFinding>): string => {
  const own = findings.filter(({ id, servers }) => SECRETS.has(id) && servers.includes(server.name))
  const isSecret = (section: string) => (key: string) =>
    own.some(({ paths }) =>
      paths.some((path) => path.endsWith(`.${section}.${key}`) || path.endsWith(`.${section}[${quoted(key)}]`))
    )
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
