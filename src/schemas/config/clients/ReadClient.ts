/**
 * Reads the servers of a client's file. The file is a stranger's: whatever is wrong with one entry concerns that server alone.
 */
import { isObject } from "../../data/Json.ts"
import { memberAt } from "../../data/Members.ts"
import { kindOf, member, membersOf, RESERVED_NAMES } from "../Fields.ts"
import { formatKeyPath, type KeyPath } from "../KeyPath.ts"
import { SERVER_NAME_MAX_CHARS, serverNameProblem } from "../ServerBuild.ts"
import { claudeCode, claudeDesktop, cline, cursor, gemini, vscode, windsurf } from "./ClaudeLike.ts"
import { type ClientName, TITLES } from "./ClientNames.ts"
import type { ClientContext, ClientFile, ClientServer, LeftServer, Remark } from "./ClientServer.ts"
import { codex } from "./Codex.ts"
import type { Format } from "./Format.ts"
import { goose } from "./Goose.ts"
import { openclaw } from "./Openclaw.ts"
import { opencode } from "./Opencode.ts"
import { Leave, setIn, takeEntry, type TakenEntry } from "./Taking.ts"
import { type Input, OnlyTheirs } from "./Variables.ts"
import { withoutOurs } from "./OwnProgram.ts"
import { zed } from "./Zed.ts"

export const FORMATS: Readonly<Record<ClientName, Format>> = {
  "claude-desktop": claudeDesktop,
  "claude-code": claudeCode,
  cursor,
  vscode,
  windsurf,
  cline,
  zed,
  codex,
  gemini,
  opencode,
  goose,
  openclaw
}

/** Entries by name, at one place of the file. */
interface Place {
  readonly path: KeyPath
  readonly project?: string
  /** Names that are switched off there. */
  readonly off?: ReadonlyArray<unknown>
}

const listAt = (root: unknown, path: KeyPath): ReadonlyArray<unknown> => {
  const value = memberAt(root, path)
  return Array.isArray(value) ? value : []
}

const projectsOf = (root: Record<string, unknown>): ReadonlyArray<Place> => {
  const projects = member(root, "projects")
  return (isObject(projects) ? membersOf(projects) : []).map(([project]) => ({
    path: ["projects", project, "mcpServers"],
    project,
    off: listAt(root, ["projects", project, "disabledMcpServers"])
  }))
}

const placesIn = (
  client: ClientName,
  root: Record<string, unknown>,
  project: string | undefined
): ReadonlyArray<Place> => {
  const usual: Place = { path: FORMATS[client].section, ...(project !== undefined && { project }) }
  if (client === "claude-code") return [usual, ...projectsOf(root)]
  // In settings.json.
  if (client === "vscode") return [usual, { path: ["mcp", "servers"] }]
  return client === "openclaw" ? [usual, { path: ["agents", "defaults", "mcp", "servers"] }] : [usual]
}

const inputsOf = (root: Record<string, unknown>): ReadonlyMap<string, Input> => {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined)
  const given = [...listAt(root, ["inputs"]), ...listAt(root, ["mcp", "inputs"])]
  return new Map(
    given.flatMap((input) => {
      const id = isObject(input) ? text(input["id"]) : undefined
      if (id === undefined || !isObject(input)) return []
      const description = text(input["description"]) ?? ""
      return [
        [id, { id, description, isSecret: input["password"] === true, fallback: text(input["default"]) }] as const
      ]
    })
  )
}

/** A name that openclaw.json can have. */
export const fitName = (name: string): string => {
  const clean = name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .trim()
    .slice(0, SERVER_NAME_MAX_CHARS)
  return clean === "" ? "server" : RESERVED_NAMES.has(clean) ? `${clean}_` : clean
}

const withBeside = (format: Format, root: Record<string, unknown>, name: string, taken: TakenEntry): TakenEntry => {
  const entry = structuredClone(taken.entry) as Record<string, unknown>
  const used = (format.beside?.(root, name) ?? []).filter(({ own, value }) => setIn(entry, own, value))
  const paths = new Map(used.map(({ own, path }) => [formatKeyPath(own), path]))
  const remarks = used.flatMap(({ path, remark }) => (remark === undefined ? [] : [{ path, message: remark }]))
  return {
    entry,
    written: (own) => paths.get(formatKeyPath(own)) ?? taken.written(own),
    remarks: [...taken.remarks, ...remarks]
  }
}

const inProject = (entry: Readonly<Record<string, unknown>>, { off = [], project }: Place, name: string) => ({
  ...entry,
  ...(project !== undefined && entry["command"] !== undefined && entry["cwd"] === undefined && { cwd: project }),
  ...(off.includes(name) && { enabled: false })
})

const readServer = (
  client: ClientName,
  root: Record<string, unknown>,
  place: Place,
  [name, value]: readonly [string, unknown],
  context: ClientContext & { readonly inputs: ReadonlyMap<string, Input> }
): ClientServer | LeftServer => {
  const path = [...place.path, name]
  const fit = fitName(name)
  const left = (reason: string, isBroken: boolean, at: KeyPath = []): LeftServer => ({
    name: fit,
    path: [...path, ...at],
    message: reason,
    isBroken
  })
  try {
    const inThis = place.project === undefined ? context : { ...context, workspace: place.project }
    const taken = withBeside(FORMATS[client], root, name, takeEntry(FORMATS[client], path, value, inThis))
    const { entry, reason } = withoutOurs(inProject(taken.entry, place, name))
    if (reason !== undefined) return left(reason, false)
    const renamed: ReadonlyArray<Remark> =
      fit === name
        ? []
        : [{ path, message: `${serverNameProblem(name) ?? "its name does not fit"}: it is now "${fit}"` }]
    return {
      name: fit,
      path,
      entry,
      written: taken.written,
      remarks: [...taken.remarks, ...renamed],
      ...(place.project !== undefined && { project: place.project })
    }
  } catch (error) {
    if (error instanceof Leave) return left(error.message, error.isBroken, error.path)
    if (error instanceof OnlyTheirs) {
      return left(`uses ${error.message}, which only ${TITLES[client]} can fill in`, false)
    }
    throw error
  }
}

const isTaken = (server: ClientServer | LeftServer): server is ClientServer => "entry" in server
const isLeft = (server: ClientServer | LeftServer): server is LeftServer => !isTaken(server)

const broken = (path: KeyPath, message: string): LeftServer => ({ name: "", path, message, isBroken: true })

/** `project` is the folder of the project whose file it is. */
export const readClientFile = (
  client: ClientName,
  root: unknown,
  context: ClientContext,
  project?: string
): ClientFile => {
  if (!isObject(root)) {
    return { client, servers: [], left: [broken([], `must be an object at the top, is ${kindOf(root)}`)] }
  }
  const whole = { ...context, inputs: inputsOf(root) }
  const all = placesIn(client, root, project).flatMap((place): ReadonlyArray<ClientServer | LeftServer> => {
    const entries = memberAt(root, place.path)
    if (entries === undefined || entries === null) return []
    if (!isObject(entries)) return [broken(place.path, `must be an object, is ${kindOf(entries)}`)]
    return membersOf(entries).map((entry) => readServer(client, root, place, entry, whole))
  })
  return { client, servers: all.filter(isTaken), left: all.filter(isLeft) }
}
