/** Tells whose file it is: by its name, or by what no other client writes. */
import { basename, dirname } from "node:path"
import { isObject } from "../../data/Json.ts"
import { member } from "../Fields.ts"
import { type ClientName } from "./ClientNames.ts"
import { clientNamed } from "./ClientPlaces.ts"

type Members = Record<string, unknown>

const membersAt = (root: Members, key: string): Members => {
  const value = member(root, key)
  return isObject(value) ? value : {}
}

const anyHas = (entries: Members, keys: ReadonlyArray<string>): boolean =>
  Object.values(entries).some((entry) => isObject(entry) && keys.some((key) => Object.hasOwn(entry, key)))

const isOpencode = (entry: unknown): boolean =>
  isObject(entry) && (entry["type"] === "local" || entry["type"] === "remote" || Array.isArray(entry["command"]))

const OF_EDITORS = /\$\{(?:env:|input:|workspaceFolder|userHome|command:|config:)/
const hasEditorVariables = (entries: Members): boolean => OF_EDITORS.test(JSON.stringify(entries))

/** Without a telling name. */
const byContent = (root: Members): ClientName | undefined => {
  // Ours, whatever its servers look like.
  if (
    isObject(member(membersAt(root, "agents"), "defaults")) ||
    Array.isArray(member(membersAt(root, "agents"), "list"))
  ) {
    return undefined
  }
  const servers = membersAt(root, "mcpServers")
  if (isObject(member(root, "context_servers"))) return "zed"
  if (isObject(member(root, "projects")) && (Object.hasOwn(root, "mcpServers") || Object.hasOwn(root, "numStartups"))) {
    return "claude-code"
  }
  const mcp = membersAt(root, "mcp")
  if (Array.isArray(member(mcp, "inputs"))) return "vscode"
  const ofVscode = membersAt(root, "servers")
  if (Array.isArray(member(root, "inputs")) || anyHas(ofVscode, ["envFile"]) || hasEditorVariables(ofVscode)) {
    return Object.hasOwn(root, "servers") ? "vscode" : undefined
  }
  if (Object.values(mcp).some(isOpencode)) return "opencode"
  if (anyHas(servers, ["serverUrl", "disabledTools"])) return "windsurf"
  if (anyHas(servers, ["httpUrl", "includeTools", "excludeTools", "trust"])) return "gemini"
  return anyHas(servers, ["envFile"]) || hasEditorVariables(servers) ? "cursor" : undefined
}

/** `undefined` for our own file, and for one that could be anybody's: the usual decoder reads both. */
export const recognise = (file: string, root: unknown): ClientName | undefined => {
  if (/\.toml$/i.test(file)) return "codex"
  if (/\.ya?ml$/i.test(file)) return "goose"
  return clientNamed(file) ?? (isObject(root) ? byContent(root) : undefined)
}

const FOLDERS: ReadonlySet<string> = new Set([".vscode", ".cursor", ".zed", ".gemini", ".codex"])

/** The folder of the project whose file it is; `undefined` for a user's file. */
export const projectOf = (file: string, home: string): string | undefined => {
  const folder = dirname(file)
  const owner = FOLDERS.has(basename(folder))
    ? dirname(folder)
    : /^(?:\.mcp\.json|opencode\.jsonc?)$/.test(basename(file))
      ? folder
      : home
  return owner === home || basename(owner) === "opencode" ? undefined : owner
}
