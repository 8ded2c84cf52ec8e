/**
 * Decodes a configuration that may be the file of a client. Servers of a client that cannot work are left out: each is a fault of
 * its own, and the others work.
 */
import * as Result from "effect/Result"
import { sep } from "node:path"
import { isObject } from "../../data/Json.ts"
import type { ConfigIssue } from "../ConfigIssue.ts"
import { type ConfigContext, type ConfigFaults, decodeConfig } from "../DecodeConfig.ts"
import type { GatewayConfig } from "../GatewayConfig.ts"
import { formatKeyPath } from "../KeyPath.ts"
import { type ClientName, TITLES } from "./ClientNames.ts"
import type { ClientServer, Remark } from "./ClientServer.ts"
import { FORMATS, readClientFile } from "./ReadClient.ts"
import { projectOf, recognise } from "./Recognise.ts"
import { linesOf, tryServer } from "./Trial.ts"

export interface ClientFileContext extends ConfigContext {
  /** The working directory. */
  readonly cwd: string
  /** The text of an `envFile`. */
  readonly readText: (path: string) => string | undefined
}

/** In whose files our own sections may be beside the servers. */
const OPEN: ReadonlySet<ClientName> = new Set([
  "claude-desktop",
  "claude-code",
  "cursor",
  "vscode",
  "windsurf",
  "cline"
])

const isOurs = (client: ClientName | undefined): client is undefined | "openclaw" =>
  client === undefined || client === "openclaw"

/** Servers of projects count in their folder only; a project's own server wins over the user's. */
const chosen = (servers: ReadonlyArray<ClientServer>, cwd: string): ReadonlyMap<string, ClientServer> =>
  new Map(
    servers
      .filter(({ project }) => project === undefined || cwd === project || cwd.startsWith(project + sep))
      .map((server) => [server.name, server])
  )

export const decodeFile = (value: unknown, context: ClientFileContext): Result.Result<GatewayConfig, ConfigFaults> => {
  const { cwd, directory, file, home, lines, readText, shownFile } = context
  const client = recognise(file, value)
  if (isOurs(client) || !isObject(value)) return decodeConfig(value, context)

  const issue = ({ message, path }: Remark): ConfigIssue => ({
    file: shownFile,
    line: lines.lineOf(path),
    path: formatKeyPath(path),
    message
  })
  const workspace = projectOf(file, home) ?? cwd
  const read = readClientFile(client, value, { home, folder: directory, workspace, readText })
  const servers = chosen(read.servers, cwd)
  const tried = [...servers.values()].map((server) => ({
    server,
    errors: tryServer(server, shownFile, lines, { ...context, commands: [] })
  }))
  const sound = tried.filter(({ errors }) => errors.length === 0).map(({ server }) => server)

  const section = client === "vscode" ? "servers" : "mcpServers"
  const { [FORMATS[client].section[0]!]: _, projects: __, ...beside } = OPEN.has(client) ? value : {}
  const root = { ...beside, [section]: Object.fromEntries(sound.map(({ entry, name }) => [name, entry])) }
  const decoded = decodeConfig(root, { ...context, lines: linesOf(lines, [section], servers) })

  const notTaken = read.left.filter(({ isBroken }) => !isBroken)
  const warnings = [
    ...sound.flatMap(({ remarks }) => remarks.map(issue)),
    ...notTaken.map((left) => issue({ ...left, message: `is left to ${TITLES[client]}: ${left.message}` }))
  ]
  const faults = [...tried.flatMap(({ errors }) => errors), ...read.left.filter(({ isBroken }) => isBroken).map(issue)]
  return Result.map(decoded, (config) => ({
    ...config,
    faults: [...(config.faults ?? []), ...faults],
    warnings: [...config.warnings, ...warnings]
  }))
}
