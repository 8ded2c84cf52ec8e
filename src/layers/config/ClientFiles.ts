/**
 * Reads the files of MCP clients. A server that is decoded without an error is found; what a project's `.mcp.json` describes is taken only
 * if the person has allowed Claude Code to start it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, readdirSync } from "node:fs"
import { homedir } from "node:os"
import { basename, dirname, join } from "node:path"
import { type ClientName, TITLES } from "../../schemas/config/clients/ClientNames.ts"
import { type Machine, projectPlaces, userPlaces } from "../../schemas/config/clients/ClientPlaces.ts"
import type { ClientServer, Remark } from "../../schemas/config/clients/ClientServer.ts"
import { allowVariables, type FoundServer, withFolder } from "../../schemas/config/clients/ImportPlan.ts"
import { readClientFile } from "../../schemas/config/clients/ReadClient.ts"
import { tryServer } from "../../schemas/config/clients/Trial.ts"
import type { ConfigError } from "../../schemas/config/ConfigError.ts"
import type { ConfigIssue } from "../../schemas/config/ConfigIssue.ts"
import type { ConfigText } from "../../schemas/config/ConfigText.ts"
import { member } from "../../schemas/config/Fields.ts"
import { formatKeyPath } from "../../schemas/config/KeyPath.ts"
import { isObject } from "../../schemas/data/Json.ts"
import { ClientFiles, type Found, type FoundFile, type LeftBehind } from "../../services/config/ClientFiles.ts"
import { readConfigFile } from "../../system/configFile.ts"
import { readVariablesFile } from "../../system/variablesFile.ts"

/** Where to look. All members are optional; the defaults are those of this process. */
export interface Options extends Partial<Machine> {
  /** What `${workspaceFolder}` means in the files of a user. */
  readonly workspace?: string
}

interface Place {
  readonly client: ClientName
  readonly file: string
  readonly project?: string
  /** Whether the person has allowed the servers of this file. */
  readonly allows?: (name: string) => boolean
}

/** A client may remember many folders. */
const PROJECTS_MAX = 500

/** VS Code keeps the servers of each further profile in a folder of their own. */
const PROFILES_MAX = 100

const profilesBeside = (file: string): ReadonlyArray<string> => {
  const folder = dirname(file)
  if (basename(file) !== "mcp.json" || basename(folder) !== "User") return []
  const profiles = join(folder, "profiles")
  try {
    const names = readdirSync(profiles).toSorted().slice(0, PROFILES_MAX)
    return names.map((name) => join(profiles, name, basename(file))).filter((one) => existsSync(one))
  } catch {
    return []
  }
}

const NOT_ALLOWED = "you have not allowed Claude Code to start it"

const namesIn = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const names = isObject(value) ? member(value, key) : undefined
  return Array.isArray(names) ? names : []
}

/** `undefined` if there is no such file. */
const readIfThere = (file: string): Effect.Effect<ConfigText | undefined, ConfigError> =>
  Effect.suspend(() => (existsSync(file) ? readConfigFile(file, file) : Effect.succeed(undefined)))

const make = ({
  env = process.env,
  home = homedir(),
  platform = process.platform,
  workspace = process.cwd()
}: Options) => {
  const machine: Machine = { platform, env, home }

  const foundIn = (place: Place, { lines, value }: ConfigText): FoundFile => {
    const { client, file, project } = place
    const issue = ({ message, path }: Remark): ConfigIssue => ({
      file,
      line: lines.lineOf(path),
      path: formatKeyPath(path),
      message
    })
    const context = { home, folder: dirname(file), workspace: project ?? workspace, readText: readVariablesFile }
    const read = readClientFile(client, value, context, project)
    const surroundings = { directory: dirname(file), home, env, commands: [], isThere: existsSync }
    const left: Array<LeftBehind> = read.left.map((one) => ({
      ...issue(one),
      client,
      name: one.name,
      isBroken: one.isBroken
    }))
    const servers = read.servers.flatMap((server: ClientServer): ReadonlyArray<FoundServer> => {
      const folder = server.project ?? project ?? workspace
      const { entry: placed, moved } = withFolder(server.entry, folder)
      const { allowed, entry } = allowVariables(placed)
      const errors = tryServer({ ...server, entry }, file, lines, surroundings)
      const isAllowed = place.allows?.(server.name) !== false
      if (errors.length > 0) left.push({ ...errors[0]!, client, name: server.name, isBroken: true })
      else if (!isAllowed)
        left.push({ ...issue({ ...server, message: NOT_ALLOWED }), client, name: server.name, isBroken: false })
      if (errors.length > 0 || !isAllowed) return []
      const remarks = [
        ...moved.map((key) => ({
          path: server.written([key]),
          message: `is a relative path, taken as one in ${folder}`
        })),
        ...allowed.map((name) => ({
          path: server.written(["env", name]),
          message: `can change what programs do; it is allowed with allowEnv, because ${TITLES[client]} sets it`
        }))
      ]
      return [
        {
          client,
          name: server.name,
          entry,
          ...(server.project !== undefined && { project: server.project }),
          file,
          line: lines.lineOf(server.path),
          remarks: [...server.remarks, ...remarks].map(issue)
        }
      ]
    })
    return { client, file, servers, left }
  }

  /** The `.mcp.json` of every folder in which Claude Code was used. */
  const claudeProjects = Effect.fnUntraced(function* ({ value }: ConfigText, except: string | undefined) {
    const projects = isObject(value) ? member(value, "projects") : undefined
    const settings = (file: string) => Effect.orElseSucceed(readIfThere(file), () => undefined)
    const places: Array<Place> = []
    for (const [project, own] of Object.entries(isObject(projects) ? projects : {}).slice(0, PROJECTS_MAX)) {
      const file = join(project, ".mcp.json")
      if (project === except || !existsSync(file)) continue
      // Anybody could have put a file into a folder that the person does not trust.
      const isTrusted = isObject(own) && own["hasTrustDialogAccepted"] === true
      const local = isTrusted ? (yield* settings(join(project, ".claude", "settings.local.json")))?.value : undefined
      const users = (yield* settings(join(home, ".claude", "settings.json")))?.value
      const said = [own, local, users]
      const isRefused = (name: string) => said.some((one) => namesIn(one, "disabledMcpjsonServers").includes(name))
      const allowsAll = said.some((one) => isObject(one) && one["enableAllProjectMcpServers"] === true)
      const allows = (name: string) =>
        !isRefused(name) && (allowsAll || said.some((one) => namesIn(one, "enabledMcpjsonServers").includes(name)))
      places.push({ client: "claude-code", file, project, allows })
    }
    return places
  })

  const find = Effect.fn("ClientFiles.find")(function* (search: {
    readonly clients: ReadonlyArray<ClientName>
    readonly project?: string | undefined
  }) {
    const { clients, project } = search
    const queue: Array<Place> = clients.flatMap((client) => [
      ...userPlaces(client, machine)
        .flatMap((file) => [file, ...(client === "vscode" ? profilesBeside(file) : [])])
        .map((file) => ({ client, file })),
      ...(project === undefined ? [] : projectPlaces(client, project, platform)).map((file) => ({
        client,
        file,
        project
      }))
    ])
    const files: Array<FoundFile> = []
    const missing: Array<Found["missing"][number]> = []
    const seen = new Set<string>()
    for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
      const { client, file } = place
      if (seen.has(file)) continue
      seen.add(file)
      const read = yield* Effect.result(readIfThere(file))
      if (read._tag === "Failure") files.push({ client, file, servers: [], left: [], problem: read.failure.issues[0]! })
      else if (read.success === undefined) missing.push({ client, file })
      else {
        files.push(foundIn(place, read.success))
        if (client === "claude-code" && place.project === undefined)
          queue.unshift(...(yield* claudeProjects(read.success, project)))
      }
    }
    return { files, missing }
  })
  return ClientFiles.of({ find })
}

export const layer = (options: Options = {}): Layer.Layer<ClientFiles> => Layer.sync(ClientFiles, () => make(options))
