/** Findings about one of OpenClaw's own servers. */
import { hostOf, type Host } from "../../../connection/Address.ts"
import { interpolate } from "../../../config/Interpolation.ts"
import { isObject } from "../../../data/Json.ts"
import { nearest } from "../../../call/Names.ts"
import type { DoctorFinding, Find, NativeServer, Surroundings } from "./report.ts"
import { behindExec } from "./execTarget.ts"
import { floatingPackage } from "./packages.ts"
import type { PluginState } from "./plugin.ts"
import { at, keyPath, textAt, textsAt } from "./read.ts"
import { aboutSecrets } from "./secrets.ts"

const transportOf = (entry: unknown): NativeServer["transport"] => {
  const transport = textAt(entry, ["transport"])
  if (textAt(entry, ["command"]) !== undefined && transport !== "sse" && transport !== "streamable-http") return "stdio"
  if (textAt(entry, ["url"]) === undefined) return "none"
  return transport === "streamable-http" || at(entry, ["type"]) === "http" ? "http" : "sse"
}

export const readServers = (entries: ReadonlyArray<readonly [string, unknown]>): ReadonlyArray<NativeServer> =>
  entries.map(([name, entry]) => ({
    name,
    entry,
    transport: transportOf(entry),
    enabled: at(entry, ["enabled"]) !== false
  }))

const finder =
  ({ name }: NativeServer): Find =>
  (id, severity, what, plugin, ...keys) => ({
    id,
    severity,
    servers: [name],
    paths: [keyPath("mcp", "servers", name, ...keys)],
    what,
    plugin
  })

// ---- how it is reached ---------------------------------------------------------------------------------------------

const LOCAL = new Set<Host["is"]>(["local", "metadata"])
const HERE = new Set(["loopback", "unspecified"])

const isPrivate = (host: Host) =>
  host.is === "literal" ? host.kind !== "public" && !HERE.has(host.kind) : LOCAL.has(host.is)
const isHere = (host: Host) => host.is === "localhost" || (host.is === "literal" && HERE.has(host.kind))

const aboutAddress = ({ entry }: NativeServer, find: Find, { env }: Surroundings): ReadonlyArray<DoctorFinding> => {
  const given = textAt(entry, ["url"])
  const { missing, text } = interpolate(given ?? "", env)
  const url = missing.length > 0 ? null : URL.parse(text)
  if (url === null) return []
  const host = hostOf(url.hostname)
  const isPlain = url.protocol === "http:" && !isHere(host)
  return [
    ...(isPlain
      ? [
          find(
            "plaintext-http",
            "high",
            "The URL uses http: anybody on the way can read and change the traffic.",
            null,
            "url"
          )
        ]
      : []),
    ...(isPrivate(host)
      ? [
          find(
            "private-address",
            "medium",
            "The address is not public: it leads into a private network, or to where a cloud keeps credentials.",
            "Refuses such addresses, also those that a name leads to, unless the server has allowPrivate: true.",
            "url"
          )
        ]
      : []),
    ...(at(entry, ["sslVerify"]) === false
      ? [find("tls-unverified", "high", "Its certificate is not verified.", null, "sslVerify")]
      : [])
  ]
}

const aboutLaunch = (server: NativeServer, find: Find, { hasCommand }: Surroundings): ReadonlyArray<DoctorFinding> => {
  const { entry, transport } = server
  if (transport === "none") {
    return [
      find(
        "nothing-to-start",
        "medium",
        "It has neither a command nor a url: OpenClaw accepts that, and offers no tools of it.",
        "Reports such a server when it reads its configuration."
      )
    ]
  }
  const command = textAt(entry, ["command"])
  const args = textsAt(entry, ["args"])
  const behind = behindExec(command ?? "", args)
  const named =
    floatingPackage(command ?? "", args) ??
    (behind === undefined ? undefined : floatingPackage(behind.command, behind.args))
  const isMissing = (one: string | undefined) => one !== undefined && !one.includes("${") && !hasCommand(one)
  return [
    ...(transport === "stdio" && (isMissing(command) || isMissing(behind?.command))
      ? [
          find(
            "command-missing",
            "medium",
            "Its program cannot be found from here: OpenClaw accepts that, and the server never starts.",
            "Reports that in its log and in status, and does not try again.",
            isMissing(command) ? "command" : "args"
          )
        ]
      : []),
    ...(named === undefined
      ? []
      : [
          find(
            "unpinned-package",
            "medium",
            `Whatever version of ${named} is the newest is fetched and run; it may be another one tomorrow.`,
            "Remembers the definitions of tools, and reports or blocks changes. Fixing the version is up to you.",
            "args"
          )
        ]),
    ...(transport === "sse" && textAt(entry, ["transport"]) === undefined
      ? [
          find(
            "sse-by-default",
            "low",
            "Without transport OpenClaw uses SSE; most servers speak streamable-http.",
            "Tries Streamable HTTP first.",
            "transport"
          )
        ]
      : [])
  ]
}

// ---- who may use it ------------------------------------------------------------------------------------------------

const aboutScope = ({ entry }: NativeServer, find: Find): ReadonlyArray<DoctorFinding> => {
  const scoped = "Gives each agent the servers under its own agents.*.mcp, and no other."
  const hasFilter = textsAt(entry, ["toolFilter", "include"]).some((glob) => glob !== "*")
  return [
    ...(at(entry, ["agents"]) === undefined
      ? []
      : [
          find(
            "agents-ignored",
            "high",
            "agents is accepted and ignored: every agent may call this server.",
            scoped,
            "agents"
          )
        ]),
    ...(at(entry, ["codex", "agents"]) === undefined
      ? []
      : [
          find(
            "codex-agents-only",
            "medium",
            "codex.agents applies to Codex only: every agent of OpenClaw's own runtime may call this server.",
            scoped,
            "codex",
            "agents"
          )
        ]),
    ...(hasFilter
      ? []
      : [
          find(
            "all-tools",
            "low",
            "Every tool of it is offered, also one that it adds later: there is no toolFilter.include.",
            "Has tools.include and rules per agent, and reports tools that are new or have changed.",
            "toolFilter"
          )
        ])
  ]
}

/** The keys that OpenClaw reads, its own and those that it accepts from other programs. */
const KEYS =
  "enabled command args env cwd url transport type headers connectionTimeoutMs requestTimeoutMs supportsParallelToolCalls auth oauth sslVerify clientCert clientKey toolFilter codex agents".split(
    " "
  )
/** Keys with which it does not start. */
const REJECTED =
  /^(?:connectTimeout|connect_timeout|timeout|workingDirectory|supports_parallel_tool_calls|ssl_verify|client_cert|client_key|disabled)$/

const aboutKeys = ({ entry }: NativeServer, find: Find): ReadonlyArray<DoctorFinding> => {
  const transport = at(entry, ["transport"])
  const isRejected = transport !== undefined && !["stdio", "sse", "streamable-http"].includes(transport as string)
  const rejects = (key: string) =>
    find(
      "rejected-key",
      "high",
      "OpenClaw rejects a configuration with this.",
      "Reports all such mistakes at once, with the line and the most similar key.",
      key
    )
  return [
    ...(isRejected ? [rejects("transport")] : []),
    ...(isObject(entry) ? Object.keys(entry) : [])
      .filter((key) => !KEYS.includes(key))
      .map((key) => {
        if (REJECTED.test(key)) return rejects(key)
        const meant = nearest(key, KEYS)
        return find(
          "unknown-key",
          "low",
          `OpenClaw does not read this key${meant === null ? "." : `; did you mean ${meant}?`}`,
          "Rejects unknown keys.",
          key
        )
      })
  ]
}

export const aboutServer = (
  server: NativeServer,
  plugin: PluginState,
  surroundings: Surroundings
): ReadonlyArray<DoctorFinding> => {
  const find = finder(server)
  return [
    ...aboutSecrets(server, plugin, find),
    ...aboutScope(server, find),
    ...aboutAddress(server, find, surroundings),
    ...aboutLaunch(server, find, surroundings),
    ...aboutKeys(server, find)
  ]
}
